export function coreAndExtras(
  outputFiles: readonly { path: string; text: string }[],
): [core: string, extras: string];

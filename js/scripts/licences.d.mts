type Metafile = { inputs: Record<string, unknown> };
export function packagesIn(metafile: Metafile): string[];
export function unnamed(metafile: Metafile, text: string): string[];

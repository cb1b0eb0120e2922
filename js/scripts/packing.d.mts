export function encoded(bytes: Uint8Array): string;
export function unpacked(text: string): string;
export const selfUnpacking: Record<"widget" | "player", (text: string, names: readonly string[]) => string>;

interface Files {
  core: string;
  extras: string;
}
export function encoded(bytes: Uint8Array): string;
export function unpacked(text: string): string;
export function unpackedAfter(before: string, script: string, text: string): string;
export function packedFiles(core: string, extras: string): Files;
export function scriptOf(files: Files): string;

// Unpacks compressed text: gzip in base64.

const LARGEST = 2 ** 28; // bytes: a small text can stand for a huge one

/** The text in `packed`. Rejects when that is damaged, or stands for more than `most` bytes. */
export async function inflate(packed: string, most = LARGEST): Promise<string> {
  const letters = atob(packed);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k += 1) bytes[k] = letters.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let [text, left] = ["", most];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    left -= value.length;
    if (left < 0) {
      reader.cancel().catch(() => {});
      throw new Error(`it is larger than ${most} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}

// Unpacks a bundle where it runs: a Burrows-Wheeler transform, coded arithmetically and written as text in 91
// characters. This function is put in front of the packed text, minified, so it may name nothing from outside.
//
// Read next: packing.mjs.

/** All bytes, in the order in which they are sorted: letters of one kind side by side, the others after them. */
export function byteOrder() {
  const key = (byte) => {
    const place = "etaoinsrldchumfpgwybvkxjqz".indexOf(String.fromCharCode(byte));
    return place < 0 ? 99 + (byte ^ 64) : place;
  };
  return [...Array(256).keys()].sort((a, b) => key(a) - key(b));
}

/**
 * The text that was packed into `packed`, of `size` bytes in UTF-8; `row`: where the sorted rotations hold the
 * text itself.
 *
 * Sources: M. Burrows and D. Wheeler, "A block-sorting lossless data compression algorithm" (1994); the mean of
 * a quick and a slow estimate of each bit is M. Mahoney's.
 */
export function unpack(packed, size, row) {
  const bytes = [];
  let [first, bits, count] = [-1, 0, 0];
  for (const char of packed) {
    const code = char.charCodeAt(0);
    const digit = code - 32 - (code > 34) - (code > 39) - (code > 60) - (code > 92);
    if (first < 0) first = digit;
    else {
      first += digit * 91;
      bits |= first << count;
      count += (first & 8191) > 88 ? 13 : 14;
      for (; count > 7; count -= 8) {
        bytes.push(bits & 255);
        bits >>= 8;
      }
      first = -1;
    }
  }
  if (first >= 0) bytes.push(bits | (first << count));

  // In each context: the chance of a 1 as the last bits show it and as all do, of 65,536, and how many there were.
  const [quick, slow, seen] = [0, 1, 2].map((k) => new Uint16Array(1400).fill(k < 2 ? 32768 : 0));
  let [at, low, high, value] = [0, 0, -1 >>> 0, 0];
  const bit = (context) => {
    while (at < 4 || (low ^ high) >>> 24 === 0) {
      value = ((value << 8) | bytes[at++]) >>> 0;
      if (at > 4) {
        low = (low << 8) >>> 0;
        high = ((high << 8) | 255) >>> 0;
      }
    }
    const chance = Math.min(Math.max((quick[context] + slow[context]) >> 1, 32), 65504);
    const middle = low + Math.floor(((high - low) * chance) / 65536);
    const one = value <= middle;
    if (one) high = middle;
    else low = middle + 1;
    quick[context] += ((one ? 65535 : 0) - quick[context]) / 16;
    slow[context] += ((one ? 65535 : 0) - slow[context]) / (seen[context] + 1.5);
    if (seen[context] < 400) seen[context]++;
    return +one;
  };

  // The last byte of each rotation: as the place where its last use stands among those of all bytes.
  const recent = [...Array(256).keys()];
  const column = new Uint8Array(size);
  const next = new Uint32Array(size);
  const starts = new Uint32Array(257);
  let [a, b, c] = [0, 0, 0]; // how large the last three places were
  for (let k = 0; k < size; k++) {
    const context = a * 25 + b * 5 + c;
    let place = 0;
    if (!bit(context)) {
      place = 1;
      if (!bit(125 + context)) {
        let length = 1;
        while (length < 7 && bit(250 + Math.min(a, 3) * 8 + length)) length++;
        for (let n = length; n--; ) place = place * 2 + bit(282 + length * 128 + place);
      }
    }
    [a, b, c] = [place < 2 ? place : place < 4 ? 2 : place < 16 ? 3 : 4, a, b];
    const byte = recent[place];
    for (let n = place; n; n--) recent[n] = recent[n - 1]; // half the time that splice() and unshift() take
    recent[0] = byte;
    column[k] = byte;
    starts[byte + 1]++;
  }
  for (let k = 0; k < 256; k++) starts[k + 1] += starts[k];
  for (let k = 0; k < size; k++) next[starts[column[k]]++] = k;
  const letters = byteOrder();
  const text = column.map(() => {
    row = next[row];
    return letters[column[row]];
  });
  return new TextDecoder().decode(text.reverse());
}

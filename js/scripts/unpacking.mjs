// Unpacks a bundle where it runs. The core is a Burrows-Wheeler transform; the extras are what follows the core,
// each letter as its context predicts it. Both are coded arithmetically and written as text in 91 characters.
// These functions are put in front of the packed texts, minified, so they may name nothing from outside.
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
 * What reads the bits of a packed text, one after the other: a function of the context in which a bit stands.
 *
 * Source: the mean of a quick and a slow estimate of each bit is M. Mahoney's.
 */
export function reader(packed) {
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
  const [quick, slow, seen] = [0, 1, 2].map((k) => new Uint16Array(1600).fill(k < 2 ? 32768 : 0));
  let [at, low, high, value] = [0, 0, -1 >>> 0, 0];
  return (context) => {
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
}

/**
 * The text of `size` bytes in UTF-8 whose transform `bit` reads; `row`: where the sorted rotations hold the text
 * itself.
 *
 * Source: M. Burrows and D. Wheeler, "A block-sorting lossless data compression algorithm" (1994).
 */
export function unpack(bit, size, row) {
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

/**
 * The text of `size` bytes that follows the text `before`. Of the last 4, 3, 2, 1 and 0 bytes, the longest that
 * were seen already say what may come, the most frequent first; each bit says whether it is that. packing.mjs
 * writes with this function too: then `text` is known, and `bit` is told what to write.
 *
 * Source: J. Cleary and I. Witten, "Data compression using adaptive coding and partial string matching" (1984).
 */
export function continued(bit, before, size, text = []) {
  const known = new TextEncoder().encode(before);
  const start = known.length;
  const bytes = new Uint8Array(start + size);
  bytes.set(known);
  // What came after a context is a list; 0 is its end. Contexts that share a place are rare.
  const lists = new Int32Array(2 ** 21);
  const next = new Int32Array(5 * bytes.length + 1);
  const [symbols, counts] = [next, next].map(({ length }) => new Uint8Array(length));
  const refused = new Int32Array(256).fill(-1);
  const level = (count) => (count < 4 ? count : 4 + (count > 5) + (count > 10) + (count > 30));
  const at = new Int32Array(5);
  let made = 0;
  for (let k = 0; k < bytes.length; k++) {
    for (let order = 0, hash = 0; order < 5; order++) {
      at[order] = Math.imul(hash + order, 0x9e3779b1) >>> 11;
      hash = Math.imul(hash + bytes[k - order - 1] + 1, 0x2f0b4c47) ^ (hash >>> 13);
    }
    let byte = bytes[k];
    let order = 5;
    let found = 0;
    while (!found && order--) {
      if (k < start) {
        found = lists[at[order]];
        while (found && symbols[found] !== byte) found = next[found];
        continue;
      }
      let rest = 0;
      let later = 0;
      for (let n = lists[at[order]]; n; n = next[n]) if (refused[symbols[n]] !== k) rest += counts[n];
      for (let n = lists[at[order]]; n && !found; n = next[n]) {
        const symbol = symbols[n];
        if (refused[symbol] === k) continue;
        refused[symbol] = k;
        rest -= counts[n];
        const counted = (order * 8 + level(counts[n])) * 8 + level(rest);
        if (bit(counted * 4 + later * 2 + (bytes[k - 1] > 64), symbol === text[k - start])) {
          byte = symbol;
          found = n;
        }
        later = 1;
      }
    }
    if (!found) {
      order = 0;
      if (k >= start) {
        byte = 1;
        for (let n = 8; n--; ) byte = byte * 2 + bit(1280 + byte, (text[k - start] >> n) & 1);
        byte &= 255;
      }
    }
    bytes[k] = byte;
    for (; order < 5; order++) {
      let n = lists[at[order]];
      let one = 0; // before it
      if (!n) {
        lists[at[order]] = n = ++made;
        symbols[n] = byte;
      }
      for (; symbols[n] !== byte; n = next[n]) {
        one = n;
        if (next[n]) continue;
        next[n] = ++made;
        symbols[made] = byte;
      }
      counts[n] += k < start ? 1 : 2; // what comes is more like what has just come than like what was before
      if (counts[n] > 60) for (let m = lists[at[order]]; m; m = next[m]) counts[m] = (counts[m] + 1) >> 1;
      if (one && counts[one] <= counts[n]) {
        const count = counts[n]; // a swap by [a, b] = [b, a] takes long before it is compiled
        symbols[n] = symbols[one];
        symbols[one] = byte;
        counts[n] = counts[one];
        counts[one] = count;
      }
    }
  }
  return new TextDecoder().decode(bytes.subarray(start));
}

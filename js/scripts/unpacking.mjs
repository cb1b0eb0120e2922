// Unpacks a bundle where it runs: LZMA, written as text in 91 characters. This function is put in front of the
// packed text, minified, so it may name nothing from outside.
//
// Read next: packing.mjs.

/**
 * The text that was packed into `packed`, of `size` bytes in UTF-8.
 *
 * It reads what LZMA encoders write with 3 bits of literal context and 2 bits of position, which is what they
 * do unless told otherwise. Source: the LZMA specification of the LZMA SDK (public domain).
 */
export function unpack(packed, size) {
  const bytes = [];
  const odds = new Uint16Array(7324).fill(1024); // that a bit is 0, of 2048, in each context
  const out = new Uint8Array(size);
  const last = [1, 1, 1, 1]; // the distances that were used last
  let [high, bits, count] = [-1, 0, 0];
  for (let k = 0; k < packed.length; k++) {
    const code = packed.charCodeAt(k);
    const digit = code - 32 - (code > 34) - (code > 39) - (code > 60) - (code > 92);
    if (high < 0) high = digit;
    else {
      high += digit * 91;
      bits |= high << count;
      count += (high & 8191) > 88 ? 13 : 14;
      for (; count > 7; count -= 8) {
        bytes.push(bits & 255);
        bits >>= 8;
      }
      high = -1;
    }
  }
  if (high >= 0) bytes.push(bits | (high << count));
  let [at, end, state, range, value] = [0, 0, 0, -1 >>> 0, 0];

  const widen = () => {
    if (range < 16777216) {
      range = (range << 8) >>> 0;
      value = ((value << 8) | bytes[at++]) >>> 0;
    }
  };
  const bit = (context) => {
    const split = (range >>> 11) * odds[context];
    const one = value >= split;
    if (one) {
      range -= split;
      value -= split;
      odds[context] -= odds[context] >> 5;
    } else {
      range = split;
      odds[context] += (2048 - odds[context]) >> 5;
    }
    widen();
    return +one;
  };
  /** A number of `length` bits, the highest first. */
  const number = (contexts, length) => {
    let found = 1;
    for (let k = length; k--; ) found = (found << 1) | bit(contexts + found);
    return found - (1 << length);
  };
  /** The same, the lowest bit first. */
  const reversed = (contexts, length) => {
    let [found, node] = [0, 1];
    for (let k = 0; k < length; k++) {
      const one = bit(contexts + node);
      node = (node << 1) | one;
      found |= one << k;
    }
    return found;
  };
  const lengthIn = (contexts, place) => {
    if (!bit(contexts)) return number(contexts + 2 + place * 8, 3);
    if (!bit(contexts + 1)) return 8 + number(contexts + 34 + place * 8, 3);
    return 16 + number(contexts + 66, 8);
  };

  for (at = 1; at < 5; ) value = ((value << 8) | bytes[at++]) >>> 0;
  while (end < size) {
    const place = end & 3;
    if (!bit(state * 4 + place)) {
      const contexts = 1180 + ((out[end - 1] ?? 0) >> 5) * 768;
      let [found, same] = [1, state > 6];
      while (found < 256) {
        const like = same ? (out[end - last[0]] >> (7 - (31 - Math.clz32(found)))) & 1 : 0;
        const one = bit(contexts + found + (same ? 256 + like * 256 : 0));
        same &&= like === one;
        found = (found << 1) | one;
      }
      out[end++] = found;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let length = 1;
    if (bit(48 + state)) {
      if (!bit(60 + state)) {
        if (!bit(96 + state * 4 + place)) {
          state = state < 7 ? 9 : 11;
          out[end] = out[end - last[0]];
          end++;
          continue;
        }
      } else {
        const which = bit(72 + state) ? 2 + bit(84 + state) : 1;
        last.unshift(...last.splice(which, 1));
      }
      length = 2 + lengthIn(858, place);
      state = state < 7 ? 8 : 11;
    } else {
      length = 2 + lengthIn(536, place);
      state = state < 7 ? 7 : 10;
      const slot = number(144 + Math.min(length - 2, 3) * 64, 6);
      let far = slot;
      if (slot > 3) {
        const more = (slot >> 1) - 1;
        far = (2 | (slot & 1)) << more;
        if (slot < 14) far += reversed(400 + far - slot, more);
        else {
          let direct = 0;
          for (let k = more - 4; k--; ) {
            range >>>= 1;
            const one = value >= range;
            if (one) value -= range;
            direct = direct * 2 + one;
            widen();
          }
          far += direct * 16 + reversed(520, 4);
        }
      }
      last.unshift(far + 1);
      last.pop();
    }
    while (length--) {
      out[end] = out[end - last[0]];
      end++;
    }
  }
  return new TextDecoder().decode(out);
}

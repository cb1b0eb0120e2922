// The picture that is on the page as a file of its own: SVG with presentation attributes, or PNG.
//
// Read next: savemenu.ts.

import { svg } from "./dom";

const STYLES = (
  "fill fill-opacity stroke stroke-opacity stroke-width stroke-dasharray stroke-linecap stroke-linejoin " +
  "paint-order opacity font-family font-size font-style font-weight text-anchor"
).split(" ");
const NOT_DRAWN = ".gl-hit, .gl-token, title";
const LINE = 22; // pixels: the height of a line of the sentence
const LETTER = 8.2; // pixels: about the width of a letter of it
const SCALE = 2; // pixels of a PNG for each pixel of the picture

/** The picture in `root` with its sentence above it, as the text of an SVG file; "" if there is none. */
export function svgText(root: HTMLElement): string {
  const layers = [...root.querySelectorAll<SVGSVGElement>(".gl-picture > svg")];
  const [x = 0, y = 0, width = 0, height = 0] = (layers[0]?.getAttribute("viewBox") ?? "")
    .split(" ")
    .map(Number);
  if (!width) return "";
  const sentence = root.querySelector(".gl-narration");
  const lines = wrapped(sentence?.textContent ?? "", (width - 24) / LETTER);
  const top = lines.length ? lines.length * LINE + 12 : 0;
  const whole = [x, y - top, width, height + top] as const;
  const made = svg("svg", { viewBox: whole.join(" "), width, height: height + top });
  made.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const frame = getComputedStyle(root.querySelector(".gl-frame") ?? root);
  const fill = plain(frame.getPropertyValue("background-color"));
  made.append(svg("rect", { x, y: y - top, width, height: height + top, fill }));
  const [ink, family] = ["color", "font-family"].map((name) => plain(frame.getPropertyValue(name)));
  for (const [k, line] of lines.entries()) {
    const about = {
      x: x + 12,
      y: y - top + (k + 1) * LINE,
      fill: ink,
      "font-family": family,
      "font-size": 16,
    };
    made.append(svg("text", about, line));
  }
  for (const layer of layers) for (const child of layer.children) copy(child, made);
  return new XMLSerializer().serializeToString(made);
}

/** Copy what is drawn of an element, with its style as attributes. */
function copy(from: Element, to: Element): void {
  const style = getComputedStyle(from);
  if (from.matches(NOT_DRAWN) || style.display === "none" || style.visibility === "hidden") return;
  const made = from.cloneNode(false) as SVGElement;
  for (const { name } of [...made.attributes])
    if (/^(class|style|role|tabindex|aria-|data-)/.test(name)) made.removeAttribute(name);
  for (const name of STYLES) {
    const value = plain(style.getPropertyValue(name));
    if (value) made.setAttribute(name, value);
  }
  to.append(made);
  for (const child of from.childNodes)
    if (child instanceof Element) copy(child, made);
    else made.append(child.cloneNode());
}

/** A value that other programs read too: mixed colours become rgb(). */
function plain(value: string): string {
  return value.replaceAll(/color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.]+))?\)/g, (...found) => {
    const [red, green, blue] = found.slice(1, 4).map((part) => Math.round(255 * Number(part)));
    return found[4] === undefined
      ? `rgb(${red}, ${green}, ${blue})`
      : `rgba(${red}, ${green}, ${blue}, ${found[4]})`;
  });
}

/** `text` in lines of at most `most` letters; a longer word has a line of its own. */
export function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ").filter(Boolean)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** An SVG file as pixels. */
export async function png(text: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * image.width;
  canvas.height = SCALE * image.height;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("This picture is too large for a PNG.")))),
  );
}

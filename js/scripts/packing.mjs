// Packs a bundle: it carries itself compressed, as text, and unpacks itself where it runs.
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";

// The printable characters of ASCII that neither JSON, a JavaScript string nor HTML changes.
const DIGITS = Array.from({ length: 95 }, (_, k) => k + 32).filter(
  (code) => !"\"'<\\".includes(String.fromCharCode(code)),
);

/** Bytes as text, 13 or 14 bits in two of 91 characters: an eighth more than the bytes; base64 takes a third. */
export function encoded(bytes) {
  let [bits, count, text] = [0, 0, ""];
  const write = (pair) => {
    text += String.fromCharCode(DIGITS[pair % 91], DIGITS[Math.floor(pair / 91)]);
  };
  for (const byte of bytes) {
    bits |= byte << count;
    count += 8;
    if (count <= 13) continue;
    const short = (bits & 8191) > 88; // what 13 bits can hold; else 14 bits fit
    write(short ? bits & 8191 : bits & 16383);
    bits >>= short ? 13 : 14;
    count -= short ? 13 : 14;
  }
  if (count > 7 || bits > 90) write(bits);
  else if (count) text += String.fromCharCode(DIGITS[bits]);
  return text;
}

/** JavaScript for the text that `text` was before it was compressed; a promise. */
export const unpacked = (text) =>
  `(s=>{let b=0,n=0,v=-1,o=[];for(let i=0;i<s.length;i++){let c=s.charCodeAt(i),d=c-32-(c>34)-(c>39)-(c>60)-(c>92);if(v<0)v=d;else{v+=d*91;b|=v<<n;n+=(v&8191)>88?13:14;do{o.push(b&255);b>>=8;n-=8}while(n>7);v=-1}}if(v>=0)o.push(b|v<<n);return new Response(new Blob([new Uint8Array(o)]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text()})('${encoded(deflateRawSync(text, { level: 9 }))}')`;

const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 12);

/** The two ways of a bundle that is compressed: how its text runs. docs/decisions/0013 says why. */
export const selfUnpacking = {
  // a module that imports the real one from a blob, as anywidget imports this one
  widget: (text) =>
    `const t=await ${unpacked(text)},u=URL.createObjectURL(new Blob([t],{type:"text/javascript"})),m=await import(u);URL.revokeObjectURL(u);export const render=m.render;export default m.default;`,
  // a script that adds the real one to the page, once for each version on the page
  player: (text) =>
    `(async()=>{const w=globalThis,k="graphlab-${hashOf(text)}";if(w[k])return(await w[k])();if(!w.DecompressionStream)return document.querySelectorAll("[data-graphlab]:not([data-graphlab-mounted])").forEach(e=>{e.dataset.graphlabMounted="";e.append("This browser is too old to play the recording. The picture shows its last step.")});w[k]=(async()=>{const t=await ${unpacked(text)},s=document.createElement("script"),p=w.trustedTypes;s.text=p?p.createPolicy("graphlab",{createScript:x=>x}).createScript(t):t;document.head.append(s);s.remove();return w.graphlabMount})()})()`,
};

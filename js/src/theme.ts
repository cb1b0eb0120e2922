// Follows the theme of the page around the player: light or dark, and high contrast.
//
// Read next: styles/colours.css.

/** Set data-theme and data-contrast on `root`, and follow the page when it changes. Returns the clean-up. */
export function followTheme(root: HTMLElement): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const sharp = matchMedia("(prefers-contrast: more)");
  const update = () => {
    root.dataset.theme = isDark(root, system.matches) ? "dark" : "light";
    const { body } = document;
    const named = /high.contrast/i.test(`${body?.dataset.jpThemeName} ${body?.className}`);
    root.toggleAttribute("data-contrast", named || sharp.matches);
  };
  const watcher = new MutationObserver(update);
  const attributes = ["class", "style", "theme", "data-theme", "data-jp-theme-light", "data-jp-theme-name"];
  for (const element of [document.documentElement, document.body]) {
    if (element) watcher.observe(element, { attributes: true, attributeFilter: attributes });
  }
  for (const query of [system, sharp]) query.addEventListener("change", update);
  update();
  const later = requestAnimationFrame(update); // by then `root` is on the page
  return () => {
    cancelAnimationFrame(later);
    watcher.disconnect();
    for (const query of [system, sharp]) query.removeEventListener("change", update);
  };
}

function isDark(root: HTMLElement, systemIsDark: boolean): boolean {
  const jupyter = document.body?.dataset.jpThemeLight;
  if (jupyter) return jupyter === "false";
  const page = document.documentElement;
  for (const element of [document.body, page]) {
    const said = `${element?.className ?? ""} ${element?.getAttribute("theme") ?? ""} ${element?.dataset.theme ?? ""}`;
    if (/\b(vscode-)?dark\b/.test(said)) return true;
    if (/\b(vscode-)?light\b/.test(said)) return false;
  }
  // The background of the page decides; a page without one follows the system.
  for (let element = root.parentElement; element; element = element.parentElement) {
    const [r, g, b, a = 1] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(
      Number,
    );
    if (a > 0.5) return 0.299 * (r ?? 0) + 0.587 * (g ?? 0) + 0.114 * (b ?? 0) < 128;
  }
  return systemIsDark;
}

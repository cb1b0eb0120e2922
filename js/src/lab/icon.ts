// The icon of GraphLab: two tensors and their result. The classes let JupyterLab colour it.

export const ICON = {
  name: "graphlab:graph",
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 24 24">
  <g class="jp-icon3 jp-icon-selectable" fill="#616161">
    <path d="M8.4 5.7 16 9.9l-.8 1.5-7.6-4.2zM8.4 18.3 16 14.1l-.8-1.5-7.6 4.2z"/>
    <circle cx="5.6" cy="5.6" r="3.4"/>
    <circle cx="5.6" cy="18.4" r="3.4"/>
    <path d="M18.4 7.4a4.6 4.6 0 1 0 0 9.2 4.6 4.6 0 0 0 0-9.2zm0 2.2a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8z"/>
  </g>
</svg>`,
};

// What jupyter-builder leaves out: the code of the plugin and that of the renderer, which JupyterLab loads both, become one file.
const all = { test: /lib.lab/, name: "lab", chunks: "all", enforce: true };
module.exports = { optimization: { splitChunks: { cacheGroups: { all } } } };

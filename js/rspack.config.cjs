// What jupyter-builder leaves out: code that the plugin and the renderer share becomes one file.
module.exports = { optimization: { splitChunks: { chunks: "all", minSize: 0 } } };

// How well a result of the search fits: Sphinx's own numbers, and GraphLab's calls before their
// namesakes (graphlab.trace before Tensor.trace), pages to read before the history and the sources.
var Scorer = {
  score: ([docname, title, , , score]) => {
    if (docname === "reference/looking") return score + 12;
    if (docname === "index" || docname === "docs/guide") return score + 4;
    return /^(CHANGELOG|docs\/decisions\/|graphlab\/|tests\/|source)/.test(docname) ? score - 8 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};

// The style sheet of the player: one file for each part, in the order in which rules may override others.

import cards from "./cards.css";
import colours from "./colours.css";
import controls from "./controls.css";
import curve from "./curve.css";
import editing from "./editing.css";
import frame from "./frame.css";
import graph from "./graph.css";
import narration from "./narration.css";
import narrow from "./narrow.css";
import predict from "./predict.css";
import presenter from "./presenter.css";
import product from "./product.css";
import record from "./record.css";
import scopes from "./scopes.css";
import stacked from "./stacked.css";
import stale from "./stale.css";
import values from "./values.css";

export const style = [
  colours,
  frame,
  narration,
  graph,
  cards,
  values,
  editing,
  product,
  controls,
  curve,
  predict,
  record,
  scopes,
  stacked,
  stale,
  narrow,
  presenter,
].join("");

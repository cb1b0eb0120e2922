// The built player as a text; scripts/bundle.mjs puts it here. It is a part of its own, fetched when needed.

export const script = "";

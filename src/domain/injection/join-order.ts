/** The basic order of the corpus. Other injections paraphrase it. */
export const JOIN_ORDER =
  'Take the words {{a}} and {{b}}. Answer with one word only: the second of them directly ' +
  'followed by the first, with nothing between.';

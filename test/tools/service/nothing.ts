/** Answers any question with itself: a listing needs nothing of what a tool works with. */
export const NOTHING: unknown = new Proxy(() => NOTHING, {
  get: (_target, key) => {
    if (key === Symbol.iterator) return () => [][Symbol.iterator]();
    return key === Symbol.toPrimitive ? () => '' : NOTHING;
  },
});

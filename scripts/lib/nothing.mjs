/**
 * A listing needs nothing of what a tool works with: this answers any question with itself.
 */
export const nothing = new Proxy(() => nothing, {
  get: (_target, key) => {
    if (key === Symbol.iterator) return () => [][Symbol.iterator]();
    return key === Symbol.toPrimitive ? () => '' : nothing;
  },
});

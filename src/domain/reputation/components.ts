/** What runs once per wallet while components are looked for. */
interface Frame {
  readonly node: number;
  /** Which of its targets comes next. */
  next: number;
}

/**
 * The strongly connected components of a graph: two nodes are in one when each can be reached from
 * the other. It goes without recursion, so that a long chain of payments needs no deep stack.
 *
 * @param targets - Of node `n`, the nodes that it points to.
 * @returns Of node `n`, the number of its component. Numbers mean nothing but equality.
 */
export function componentsOf(targets: readonly (readonly number[])[]): Int32Array {
  const size = targets.length;
  const component = new Int32Array(size).fill(-1);
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const open: number[] = [];
  const frames: Frame[] = [];
  let seen = 0;
  let components = 0;

  const enter = (node: number): void => {
    order[node] = seen;
    low[node] = seen;
    seen += 1;
    open.push(node);
    frames.push({ node, next: 0 });
  };
  const lower = (node: number, to: number): void => {
    low[node] = Math.min(low[node] ?? 0, to);
  };
  const leave = (node: number): void => {
    frames.pop();
    const parent = frames.at(-1);
    if (parent !== undefined) lower(parent.node, low[node] ?? 0);
    if (low[node] !== order[node]) return;
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      component[member] = components;
      if (member === node) break;
    }
    components += 1;
  };

  for (let root = 0; root < size; root += 1) {
    if (order[root] !== -1) continue;
    enter(root);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const target = targets[frame.node]?.[frame.next];
      frame.next += 1;
      if (target === undefined) leave(frame.node);
      else if (order[target] === -1) enter(target);
      else if (component[target] === -1) lower(frame.node, order[target] ?? 0);
    }
  }
  return component;
}

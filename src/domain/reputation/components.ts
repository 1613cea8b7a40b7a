/** Stack frame of the search: one per visited wallet. */
interface Frame {
  readonly node: number;
  /** Index of the next target. */
  next: number;
}

/**
 * Returns the strongly connected components of a graph. Two nodes share a component if each is
 * reachable from the other. The search is iterative, so that long payment chains do not overflow
 * the stack.
 *
 * @param targets - Successors of each node.
 * @returns Component number of each node. Only equality of numbers is meaningful.
 */
export function findComponents(targets: readonly (readonly number[])[]): Int32Array {
  const size = targets.length;
  const component = new Int32Array(size).fill(-1);
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const stack: number[] = [];
  const frames: Frame[] = [];
  let visited = 0;
  let components = 0;

  const enter = (node: number): void => {
    order[node] = visited;
    low[node] = visited;
    visited += 1;
    stack.push(node);
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
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
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

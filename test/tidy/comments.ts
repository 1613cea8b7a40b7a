import ts from 'typescript';
import { at, type Rule, type SourceFile } from './files.ts';

interface Comment {
  readonly start: number;
  readonly text: string;
}

const UNFINISHED = /\b(TODO|FIXME|XXX|HACK)\b(?!.*#\d+)/;
const CODE = [
  /^(const|let|var|import|export|return|await|throw|function|if \(|for \(|\}).*[;{}(]$/,
  /^[\w.]+\(.*\);$/,
  /^[\w.]+ = .*;$/,
];

/** Style 26: comments are sentences: no code in them, nothing left to do without an issue. */
export const commentsAreSentences: Rule = (file) =>
  commentsOf(file).flatMap(({ start, text }) => {
    const lines = text.split('\n').map((line) => line.replace(/^[\s/*]+|[\s/*]+$/g, ''));
    const unfinished = UNFINISHED.test(text)
      ? [at(file, start, 'unfinished, and names no issue')]
      : [];
    // Examples in docstrings are code on purpose.
    const isExample = text.startsWith('/**');
    const isCode = !isExample && lines.some((line) => CODE.some((code) => code.test(line)));
    return isCode ? [...unfinished, at(file, start, 'commented-out code')] : unfinished;
  });

// Comments are no nodes: they stand before and behind the leaves of the tree.
function commentsOf(file: SourceFile): readonly Comment[] {
  const found = new Map<number, Comment>();
  for (const leaf of leavesOf(file.tree, file.tree)) {
    const ranges = [
      ...(ts.getLeadingCommentRanges(file.text, leaf.pos) ?? []),
      ...(ts.getTrailingCommentRanges(file.text, leaf.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      found.set(pos, { start: pos, text: file.text.slice(pos, end) });
    }
  }
  return [...found.values()];
}

function leavesOf(node: ts.Node, tree: ts.SourceFile): readonly ts.Node[] {
  const children = node.getChildren(tree);
  return children.length === 0 ? [node] : children.flatMap((child) => leavesOf(child, tree));
}

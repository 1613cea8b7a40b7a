/** The page on proofs, with the table of kinds and their count written anew. */
export function proofsPage(page, kinds) {
  const rows = Object.entries(kinds);
  const recorded = rows.filter(([, { when }]) => when !== undefined);
  const table = recorded.map(
    ([kind, { name, when, ref }]) => `| ${kind} | ${name} | ${when} | ${ref} |\n`,
  );
  const idle = rows
    .filter(([, { when }]) => when === undefined)
    .map(([kind, { name }]) => `${kind} (${name.replace('ProofOf', '')})`);
  const nothing = idle.length === 0 ? '' : ` Nothing records ${joinWords(idle)} yet.`;
  return page
    .replace(
      /(\| kind \| name \| when \| ref \|\n\|[-|]+\|\n)(?:\| .*\n)*/,
      (_table, head) => `${head}${table.join('')}`,
    )
    .replace(
      /(`src\/domain\/proof\/kinds\.ts` lists) \d+ kinds\.(?:\sNothing records [^.]* yet\.)?/,
      (_sentence, begin) => `${begin} ${rows.length} kinds.${nothing}`,
    );
}

function joinWords(words) {
  const last = words.at(-1);
  return words.length === 1 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

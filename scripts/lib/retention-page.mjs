/** The page on retention, with the tables of the key families written anew. */
export function retentionPage(page, bounds) {
  return page
    .split('\n## ')
    .map((section) => {
      const [, store] = /store\/(\w+)/.exec(section.split('\n')[0]) ?? [];
      return store === undefined ? section : writeTable(section, listRows(store, bounds));
    })
    .join('\n## ');
}

/** Replaces the rows of the only table of families in a section. */
function writeTable(section, rows) {
  return section.replace(
    /(\| family \| .*\n\|[-|]+\|\n)(?:\| .*\n)*/,
    (_table, head) => `${head}${rows.join('')}`,
  );
}

function listRows(store, bounds) {
  return bounds
    .filter((row) => row.store === store)
    .map(({ families, key, bound, age, trimmer, test }) => {
      return `| ${[families.join(', '), key, bound, age, trimmer, test].join(' | ')} |\n`;
    });
}

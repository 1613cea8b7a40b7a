import { stemOf, wordsOf } from '../news/topic.ts';

/** News words that indicate severe trouble. */
const GRAVE = wordSet(
  'bankrupt bankruptcy insolvent insolvency liquidation fraud fraudulent bribe bribery corruption',
  'laundering indicted indictment convicted embezzlement sanctioned sanction ponzi cartel forgery',
  'arrested raided',
);
/** News words that indicate trouble. */
const TROUBLE = wordSet(
  'lawsuit sued sues litigation probe investigation investigated investigates subpoena antitrust',
  'fined fine penalty misconduct scandal whistleblower breach hacked hack ransomware recall',
  'delisted default defaults accused alleged allegation resigns ousted',
);

/** Words of trouble in a text. */
export interface AdverseWords {
  readonly words: readonly string[];
  readonly isGrave: boolean;
}

/** Returns the distinct words of trouble in a text. */
export function adverseWordsOf(text: string): AdverseWords {
  const words = [...new Set(wordsOf(text))];
  const grave = words.filter((word) => GRAVE.has(stemOf(word)));
  const other = words.filter((word) => TROUBLE.has(stemOf(word)));
  return { words: [...grave, ...other], isGrave: grave.length > 0 };
}

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')).map(stemOf));
}

import { splitWords, stemWord } from '../news/topic.ts';

/** News words that indicate severe trouble. */
const SEVERE_STEMS = stemSet(
  'bankrupt bankruptcy insolvent insolvency liquidation fraud fraudulent bribe bribery corruption',
  'laundering indicted indictment convicted embezzlement sanctioned sanction ponzi cartel forgery',
  'arrested raided',
);
/** News words that indicate trouble. */
const TROUBLE_STEMS = stemSet(
  'lawsuit sued sues litigation probe investigation investigated investigates subpoena antitrust',
  'fined fine penalty misconduct scandal whistleblower breach hacked hack ransomware recall',
  'delisted default defaults accused alleged allegation resigns ousted',
);

/** Words of trouble in a text. */
export interface AdverseWords {
  readonly words: readonly string[];
  readonly isSevere: boolean;
}

/** Returns the distinct words of trouble in a text. */
export function findAdverseWords(text: string): AdverseWords {
  const words = [...new Set(splitWords(text))];
  const grave = words.filter((word) => SEVERE_STEMS.has(stemWord(word)));
  const other = words.filter((word) => TROUBLE_STEMS.has(stemWord(word)));
  return { words: [...grave, ...other], isSevere: grave.length > 0 };
}

function stemSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')).map(stemWord));
}

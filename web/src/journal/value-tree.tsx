import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Json } from '../../../src/domain/common/json.ts';
import { formatHidden, isHidden } from './hidden.ts';
import './journal.css';

/** Number of members or items shown initially. */
const MEMBERS_SHOWN = 50;
/** Number of characters of a text shown initially. */
const TEXT_SHOWN = 200;
/** Nesting depth from which values are collapsed initially. */
const OPEN_DEPTH = 2;

/** A JSON value as a collapsible tree. Texts are never interpreted as markup. */
export function ValueTree({
  value,
  depth = 0,
}: {
  readonly value: Json;
  readonly depth?: number;
}): JSX.Element {
  if (isHidden(value)) return <span class="value is-hidden">{formatHidden(value)}</span>;
  if (typeof value === 'string') return <TruncatedText text={value} />;
  if (typeof value !== 'object' || value === null) {
    return (
      <span class={`value is-${value === null ? 'null' : typeof value}`}>{String(value)}</span>
    );
  }
  const members = Object.entries(value).flatMap(([name, inner]) =>
    inner === undefined ? [] : [{ name, inner: inner as Json }],
  );
  const isList = Array.isArray(value);
  if (members.length === 0)
    return <span class="value is-empty">{isList ? 'empty list' : 'empty'}</span>;
  if (depth === 0 && !isList) return <Members members={members} depth={depth} />;
  const noun = isList ? 'item' : 'member';
  return (
    <details open={depth < OPEN_DEPTH}>
      <summary>
        {members.length} {members.length === 1 ? noun : `${noun}s`}
      </summary>
      <Members members={members} depth={depth} />
    </details>
  );
}

interface MembersProps {
  readonly members: readonly { readonly name: string; readonly inner: Json }[];
  readonly depth: number;
}

function Members({ members, depth }: MembersProps): JSX.Element {
  const [shown, setShown] = useState(MEMBERS_SHOWN);
  const rest = members.length - shown;
  return (
    <ul class="members">
      {members.slice(0, shown).map(({ name, inner }) => (
        <li key={name}>
          <span class="member-name">{name}</span> <ValueTree value={inner} depth={depth + 1} />
        </li>
      ))}
      {rest > 0 ? (
        <li>
          <button type="button" class="button is-small" onClick={() => setShown(shown * 2)}>
            {rest} more
          </button>
        </li>
      ) : null}
    </ul>
  );
}

/** A text, truncated if long, with a button to show all. */
export function TruncatedText({
  text,
  shownChars = TEXT_SHOWN,
}: {
  readonly text: string;
  readonly shownChars?: number;
}): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  if (text.length <= shownChars * 1.25) return <bdi class="value is-string">{text}</bdi>;
  return (
    <>
      <bdi class="value is-string">{isWhole ? text : `${text.slice(0, shownChars)}…`}</bdi>{' '}
      <button
        type="button"
        class="button is-link"
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? 'less' : `all ${text.length.toLocaleString('en')} characters`}
      </button>
    </>
  );
}

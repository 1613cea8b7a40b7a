import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { tryParseJson } from '../../../../src/domain/common/json.ts';
import type { ProofVerdict } from '../../../../src/domain/verification/proof-file.ts';

/** Largest proof file, in characters. */
const FILE_CHARS_MAX = 1_048_576;

/** Result of checking the given proof. */
type VerificationResult =
  | { readonly kind: 'verdict'; readonly verdict: ProofVerdict; readonly isKeyGiven: boolean }
  | { readonly kind: 'fault'; readonly words: string };

/** Verifies a pasted, dropped or chosen proof file in this browser. */
export function Verifier({
  file,
  setFile,
}: {
  readonly file: string;
  readonly setFile: (text: string) => void;
}): JSX.Element {
  const [key, setKey] = useState('');
  const [isOver, setOver] = useState(false);
  const finding = useVerification(file, key);
  const takeFirst = (files: FileList | null | undefined): void => {
    const [first] = files ?? [];
    if (first !== undefined)
      void first
        .slice(0, FILE_CHARS_MAX + 1)
        .text()
        .then(setFile);
  };
  return (
    <section
      id="verifier"
      class={`panel verifier${isOver ? ' is-over' : ''}`}
      aria-labelledby="verifier-title"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        takeFirst(event.dataTransfer?.files);
      }}
    >
      <h2 id="verifier-title">Verify a proof</h2>
      <div role="status">{finding === null ? null : <Result finding={finding} />}</div>
      <label>
        Paste a proof file or drop it here
        <textarea
          class="field"
          spellcheck={false}
          value={file}
          onInput={(event) => setFile(event.currentTarget.value)}
        />
      </label>
      <label>
        Or choose a file
        <input
          type="file"
          accept="application/json,.json"
          onChange={(event) => takeFirst(event.currentTarget.files)}
        />
      </label>
      <label>
        Key of the log, from a source other than the file (optional)
        <input
          class="field"
          spellcheck={false}
          placeholder="name+id+key"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value.trim())}
        />
      </label>
      <p class="muted">
        Checked in this browser without a server. On the command line:{' '}
        <code>stoa verify &lt;proof file&gt; --key &lt;key&gt;</code>
      </p>
    </section>
  );
}

function useVerification(file: string, key: string): VerificationResult | null {
  const [finding, setFinding] = useState<VerificationResult | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const keep = (next: VerificationResult | null): void => {
      if (isCurrent) setFinding(next);
    };
    void verifyText(file, key).then(keep, (thrown: unknown) =>
      keep({ kind: 'fault', words: `The check failed: ${String(thrown)}` }),
    );
    return () => {
      isCurrent = false;
    };
  }, [file, key]);
  return finding;
}

async function verifyText(file: string, key: string): Promise<VerificationResult | null> {
  if (file.trim() === '') return null;
  if (file.length > FILE_CHARS_MAX) {
    return { kind: 'fault', words: 'The file is too large; a proof has at most 1 MiB.' };
  }
  const value = tryParseJson(file);
  if (value === undefined) return { kind: 'fault', words: 'The text is not valid JSON.' };
  const [{ verifyProofFile }, { webVerifyEd25519: verify }] = await Promise.all([
    import('../../../../src/domain/verification/proof-file.ts'),
    import('../../../../src/domain/verification/web-ed25519.ts'),
  ]);
  const verdict = await verifyProofFile(value, { verify, ...(key === '' ? {} : { key }) });
  return { kind: 'verdict', verdict, isKeyGiven: key !== '' };
}

function Result({ finding }: { readonly finding: VerificationResult }): JSX.Element {
  if (finding.kind === 'fault') {
    return (
      <div class="verdict is-bad" data-verdict="unread">
        <p class="verdict-title">Not a proof file</p>
        <p>{finding.words}</p>
      </div>
    );
  }
  const { verdict } = finding;
  if (!verdict.isValid) {
    return (
      <div class="verdict is-bad" data-verdict="invalid">
        <p class="verdict-title">Invalid proof</p>
        <p>{verdict.reason}</p>
      </div>
    );
  }
  return <Valid verdict={verdict} isKeyGiven={finding.isKeyGiven} />;
}

function Valid({
  verdict: { record, origin, size, key, anchor },
  isKeyGiven,
}: {
  readonly verdict: ProofVerdict & { readonly isValid: true };
  readonly isKeyGiven: boolean;
}): JSX.Element {
  return (
    <div class="verdict is-good" data-verdict="valid">
      <p class="verdict-title">
        Valid: record {record.seq} ({record.kind_name}) is in the log
      </p>
      <p>
        <bdi>{origin}</bdi>, {size} records; ref <bdi>{record.ref}</bdi>, recorded at {record.at}.
      </p>
      <p>
        {isKeyGiven ? (
          'The checkpoint is signed with the key that you entered.'
        ) : (
          <>
            The key is from the file itself. Compare it with the log’s published key:{' '}
            <code>{key}</code>
          </>
        )}
      </p>
      {anchor === null ? null : (
        <p>
          The file says that contract <code>{anchor.contract}</code> on chain {anchor.chain_id} has
          the root of {anchor.size} records since block {anchor.block}. The root matches this log.
          The chain was not checked; <code>stoa verify … --rpc</code> does that.
        </p>
      )}
      <p>This proves what was recorded, not that it is true.</p>
    </div>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ProofRecord } from '../../../../src/domain/proof/record.ts';
import { formatCount } from '../../journal/format.ts';
import { FactList, ShortName, Timestamp, WideTable } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { PageLinks } from '../../reads/page-links.tsx';
import { readUrl } from '../../reads/read.ts';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import { Verifier } from './proof-verifier.tsx';
import './trust.css';

const PAGE_SIZE = 50;

interface RecordListPage {
  readonly size: number;
  readonly records: readonly ProofRecord[];
  readonly next: number | null;
}

/** The proof log, and a verifier that runs in the browser. */
export function ProofsPage(): JSX.Element {
  const [file, setFile] = useState('');
  const take = async (seq: number): Promise<void> => {
    const answer = await readUrl<unknown>(`/v1/proofs/${seq}.json`);
    setFile(answer.fault === null ? JSON.stringify(answer.value, null, 2) : answer.fault.words);
    document.getElementById('verifier')?.scrollIntoView({ block: 'start' });
  };
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Proofs</h1>
      </div>
      <Verifier file={file} setFile={setFile} />
      <Checkpoint />
      <Records take={(seq) => void take(seq)} />
    </div>
  );
}

/** The newest checkpoint: a signed note with origin, size, root, blank line and signatures. */
function Checkpoint(): JSX.Element {
  const note = useRead<string>('/v1/proofs/checkpoint');
  const key = useRead<string>('/v1/proofs/key');
  return (
    <section class="panel" aria-labelledby="proofs-checkpoint">
      <h2 id="proofs-checkpoint">Latest checkpoint</h2>
      <ReadView read={note} what="checkpoint">
        {(text) => {
          const [origin = '', size = '', root = ''] = text.split('\n');
          const signatures = text.split('\n').filter((line) => line.startsWith('— '));
          return (
            <FactList
              facts={[
                ['Log', <bdi key="origin">{origin}</bdi>],
                ['Records', size],
                ['Root', <code key="root">{root}</code>],
                [
                  'Signed by',
                  <bdi key="signers">
                    {signatures.map((line) => line.split(' ')[1]).join(', ')}
                  </bdi>,
                ],
                ['Log key', key.value && <code key="key">{key.value.trim()}</code>],
              ]}
            />
          );
        }}
      </ReadView>
    </section>
  );
}

function Records({ take }: { readonly take: (seq: number) => void }): JSX.Element {
  const [from, setFrom] = useState<string | null>(null);
  const tail = from === null ? '' : `&from=${from}`;
  const read = useRead<RecordListPage>(`/v1/proofs/records?limit=${PAGE_SIZE}${tail}`);
  return (
    <section class="panel" aria-labelledby="proofs-records">
      <h2 id="proofs-records">Records</h2>
      <ReadView read={read} what="records">
        {({ size, records, next }) =>
          size === 0 ? (
            <EmptyState title="No records yet">
              <p>Each settled call, decision, delegation and job adds a record.</p>
            </EmptyState>
          ) : (
            <>
              <p class="muted">{formatCount(size, 'record')}, newest first</p>
              <WideTable label="Records" heads={['Index', 'Kind', 'Ref', 'Recorded', 'Proof']}>
                {records.map((record) => (
                  <RecordRow key={record.seq} record={record} take={take} />
                ))}
              </WideTable>
              <PageLinks
                next={next === null ? null : String(next)}
                isFirst={from === null}
                go={setFrom}
              />
            </>
          )
        }
      </ReadView>
    </section>
  );
}

function RecordRow({
  record: { seq, kind, kind_name: name, ref, at },
  take,
}: {
  readonly record: ProofRecord;
  readonly take: (seq: number) => void;
}): JSX.Element {
  return (
    <tr data-record={seq}>
      <th scope="row" class="number">
        {seq}
      </th>
      <td>
        {name} <span class="muted">{kind}</span>
      </td>
      <td>
        <ShortName name={ref} />
      </td>
      <td>
        <Timestamp at={at} />
      </td>
      <td>
        <button
          type="button"
          class="button is-small"
          aria-label={`Verify record ${seq}`}
          onClick={() => take(seq)}
        >
          Verify
        </button>{' '}
        <a href={`/v1/proofs/${seq}.json`} download={`proof-${seq}.json`}>
          File
        </a>
      </td>
    </tr>
  );
}

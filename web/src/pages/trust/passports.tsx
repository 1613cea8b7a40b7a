import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PassportView } from '../../../../src/domain/passport/passport.ts';
import { ShortName, Timestamp, WideTable } from '../../parts/facts.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { PageLinks } from '../../reads/page-links.tsx';
import { ReadView } from '../../reads/read-view.tsx';
import { useRead } from '../../reads/use-read.ts';
import './trust.css';

interface PassportListPage {
  readonly passports: readonly PassportView[];
  readonly cursor: string | null;
}

const HEADS = ['Name', 'Class', 'Owner', 'Wallet', 'Custody', 'Delegations', 'Registered', 'State'];

/** The list of passports, newest first: owner, bound wallet and custody. */
export function PassportsPage(): JSX.Element {
  const [cursor, setCursor] = useState<string | null>(null);
  const tail = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const read = useRead<PassportListPage>(`/a2a/passports?limit=50${tail}`);
  return (
    <div class="trust-page">
      <div class="page-head">
        <h1>Passports</h1>
      </div>
      <ReadView read={read} what="passports">
        {({ passports, cursor: next }) =>
          passports.length === 0 ? (
            <NoPassports />
          ) : (
            <section class="panel" aria-label="Passports">
              <WideTable label="Passports" heads={HEADS}>
                {passports.map((passport) => (
                  <PassportRow key={passport.name} passport={passport} />
                ))}
              </WideTable>
              <PageLinks next={next} isFirst={cursor === null} go={setCursor} />
            </section>
          )
        }
      </ReadView>
    </div>
  );
}

function PassportRow({ passport }: { readonly passport: PassportView }): JSX.Element {
  const { name, agent_class, agent_id, owner, wallet, custody, status } = passport;
  const active = passport.delegations.filter((one) => one.status === 'active').length;
  return (
    <tr data-passport={name}>
      <th scope="row">
        <a href={`/a2a/passport/${encodeURIComponent(name)}`} target="_blank" rel="noreferrer">
          <bdi>{name}</bdi>
        </a>
        <div class="muted">
          <ShortName name={agent_id} />
        </div>
      </th>
      <td>
        <bdi>{agent_class}</bdi>
      </td>
      <td>
        <ShortName name={owner} />
      </td>
      <td>
        {wallet === null ? <span class="muted">none bound</span> : <ShortName name={wallet} />}
      </td>
      <td>{custody === 'operator' ? 'the operator' : 'its owner'}</td>
      <td class="number">{active}</td>
      <td>
        <Timestamp at={passport.registered_at} />
      </td>
      <td>
        <span class={`state-pill is-${status === 'active' ? 'active' : 'stopped'}`}>{status}</span>
        {passport.revoked === null ? null : (
          <div class="muted">
            <bdi>{passport.revoked.reason}</bdi>
          </div>
        )}
      </td>
    </tr>
  );
}

function NoPassports(): JSX.Element {
  return (
    <EmptyState title="No agents registered yet">
      <p>A passport is free. To register one with a wallet key file:</p>
      <p>
        <code class="command">
          stoa passport mint --name my-agent --class research --key-file … --data …
        </code>
      </p>
    </EmptyState>
  );
}

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActorFrame } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';
import type { ActorModel } from '../../journal/actor-model.ts';
import { ConfirmDialog } from '../../journal/confirm.tsx';
import { announce } from '../../shell/announcer.tsx';
import { useSite } from '../../shell/console-site.ts';
import { consoleUrl, navigate } from '../../shell/router.ts';
import { CopyButton } from './actor-head.tsx';
import { SendDialog } from './actor-send.tsx';

/** Comparison marks, link and actions of an actor; shows only actions that are possible. */
export function ActorActions({
  model,
  frame,
}: {
  readonly model: ActorModel;
  readonly frame: ActorFrame;
}): JSX.Element {
  const [asked, setAsked] = useState<'fork' | 'send' | null>(null);
  const hello = useConnection().hello.value;
  const { host } = useSite();
  const seq = model.travel.at.value ?? frame.seq;
  const link = new URL(consoleUrl(['actor', frame.id], { at: seq }), location.href).href;
  const mayFork = hello?.actions.includes('fork') === true;
  const maySend =
    hello?.actions.includes('send') === true && hello.developmentKinds.includes(frame.kind);
  return (
    <fieldset class="bare actions" aria-label="Actions for this row">
      <button type="button" class="button is-small" onClick={() => model.mark('from', seq)}>
        Compare from here (A)
      </button>
      <button type="button" class="button is-small" onClick={() => model.mark('to', seq)}>
        Compare to here (B)
      </button>
      <CopyButton text={link} what={`the link to row ${seq}`} words="Copy link" />
      {mayFork ? (
        <button type="button" class="button is-small" onClick={() => setAsked('fork')}>
          Fork from here …
        </button>
      ) : null}
      {maySend ? (
        <button type="button" class="button is-small" onClick={() => setAsked('send')}>
          {host === 'server' ? 'Send a test event …' : 'Send an event …'}
        </button>
      ) : null}
      {asked === 'fork' ? (
        <ForkDialog frame={frame} seq={seq} close={() => setAsked(null)} />
      ) : null}
      {asked === 'send' ? <SendDialog frame={frame} close={() => setAsked(null)} /> : null}
    </fieldset>
  );
}

interface ForkDialogProps {
  readonly frame: ActorFrame;
  readonly seq: number;
  close(): void;
}

function ForkDialog({ frame, seq, close }: ForkDialogProps): JSX.Element {
  const connection = useConnection();
  const livesOn = connection.hello.value?.developmentKinds.includes(frame.kind) === true;
  const fork = async (): Promise<void> => {
    const result = await connection.act({ name: 'fork', actorId: frame.id, atSeq: seq });
    const forkId = readActorId(result);
    announce(`Forked as ${forkId ?? 'a new actor'}`);
    if (forkId !== null) navigate(consoleUrl(['actor', forkId]));
  };
  return (
    <ConfirmDialog
      title={`Fork at row ${seq}?`}
      confirmLabel="Create fork"
      run={fork}
      close={close}
    >
      <p>
        Creates a new actor of the kind <code>{frame.kind}</code> with the state of{' '}
        <bdi>{frame.id}</bdi> after row {seq}. <bdi>{frame.id}</bdi> itself does not change. Effects
        that were running at that row are not restarted.{' '}
        {livesOn
          ? 'Pending timers keep their due time and fire.'
          : 'Timers are not copied, so the fork does not advance on its own.'}{' '}
        The new journal records that the fork was created from a console.
      </p>
    </ConfirmDialog>
  );
}

function readActorId(result: unknown): string | null {
  if (typeof result !== 'object' || result === null) return null;
  const { actorId, id } = result as { readonly actorId?: unknown; readonly id?: unknown };
  return typeof actorId === 'string' ? actorId : typeof id === 'string' ? id : null;
}

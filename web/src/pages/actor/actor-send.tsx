import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ActorFrame } from '../../../../src/domain/inspect/wire.ts';
import { useConnection } from '../../connection/use-connection.ts';
import { ConfirmDialog } from '../../journal/confirm.tsx';
import { announce } from '../../shell/announcer.tsx';
import { useSite } from '../../shell/console-site.ts';

interface SendDialogProps {
  readonly frame: ActorFrame;
  close(): void;
}

/** A dialog that sends a test event to a development actor. */
export function SendDialog({ frame, close }: SendDialogProps): JSX.Element {
  const connection = useConnection();
  const { host } = useSite();
  const types = eventTypes(frame);
  const [type, setType] = useState(types[0] ?? '');
  const [text, setText] = useState('{}');
  const parsed = parseMembers(text);
  const send = async (): Promise<void> => {
    if (!parsed.isOk) return;
    await connection.act({ name: 'send', actorId: frame.id, event: { ...parsed.members, type } });
    announce(`Sent ${type}`);
  };
  return (
    <ConfirmDialog
      title={host === 'server' ? 'Send a test event?' : 'Send an event?'}
      confirmLabel={`Send ${type}`}
      isReady={parsed.isOk && type !== ''}
      run={send}
      close={close}
    >
      <p>
        Sends an external event to <bdi>{frame.id}</bdi>,{' '}
        {host === 'server' ? 'a development' : 'an'} actor of the kind <code>{frame.kind}</code>.
        The journal records that it was sent from a console. You cannot undo this.
      </p>
      <label class="form-line" for="send-type">
        Event
      </label>
      <input
        id="send-type"
        class="field"
        list="send-types"
        value={type}
        onInput={({ currentTarget }) => setType(currentTarget.value.trim())}
      />
      <datalist id="send-types">
        {types.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <label class="form-line" for="send-members">
        Other members, as JSON
      </label>
      <textarea
        id="send-members"
        class="field is-code"
        rows={5}
        spellcheck={false}
        aria-invalid={!parsed.isOk}
        aria-describedby="send-fault"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p id="send-fault" class="reason" role="status">
        {parsed.isOk ? '' : parsed.fault}
      </p>
    </ConfirmDialog>
  );
}

/** Returns the distinct types of external events that the actor currently accepts. */
export function eventTypes({ possible }: Pick<ActorFrame, 'possible'>): readonly string[] {
  const outside = possible.filter(({ trigger }) => trigger === 'event');
  return [...new Set(outside.map(({ eventType }) => eventType))];
}

type Members =
  | { readonly isOk: true; readonly members: Record<string, unknown> }
  | { readonly isOk: false; readonly fault: string };

/** Parses the members of an event except its type, which has its own field. */
export function parseMembers(text: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() === '' ? '{}' : text);
  } catch (thrown) {
    return { isOk: false, fault: `Not JSON: ${thrown instanceof Error ? thrown.message : ''}` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { isOk: false, fault: 'It must be a JSON object, such as {"amount": "1"}' };
  }
  if ('type' in value) return { isOk: false, fault: 'Enter the type in the field above' };
  return { isOk: true, members: { ...value } };
}

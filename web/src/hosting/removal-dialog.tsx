import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../journal/confirm.tsx';
import { announce } from '../shell/announcer.tsx';
import { consoleUrl, navigate } from '../shell/router.ts';
import { changeHosting } from './hosting-url.ts';

interface RemovalDialogProps {
  readonly collection: keyof typeof EFFECTS;
  readonly resource: { readonly id: string; readonly name: string; readonly ownerId: string };
  close(): void;
}

/** Deletes a service or a database once you have typed its name, then opens the list. */
export function RemovalDialog({ collection, resource, close }: RemovalDialogProps): JSX.Element {
  const [typed, setTyped] = useState('');
  const { id, name, ownerId } = resource;
  const { what, says } = EFFECTS[collection];
  const run = async (): Promise<void> => {
    await changeHosting([collection, id, 'remove'], { name: typed });
    announce(`${name}: deleted`);
    navigate(consoleUrl(['hosting'], { workspace: ownerId }));
  };
  return (
    <ConfirmDialog
      title={`Delete this ${what}?`}
      confirmLabel="Delete"
      isReady={typed === name}
      run={run}
      close={close}
    >
      <p>
        <bdi>{name}</bdi>: {says} You cannot undo this.
      </p>
      <label class="form-line" for="removal-name">
        Type the name of the {what}
      </label>
      <input
        id="removal-name"
        class="field"
        value={typed}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

const EFFECTS = {
  services: {
    what: 'service',
    says: 'stops its programs and deletes its builds, variables and pushed source.',
  },
  databases: { what: 'database', says: 'stops the server and deletes all of its data.' },
} as const;

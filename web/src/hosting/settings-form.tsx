import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Service } from '../../../src/domain/hosting/records.ts';
import { errorMessage } from '../connection/request-error.ts';
import { announce } from '../shell/announcer.tsx';
import { describedByIds, FormField, ReadOnlyNote } from './form-field.tsx';
import { changeHosting, rejectedField } from './hosting-url.ts';
import { createPatch, type Draft, listSettings, type Setting } from './settings.ts';

interface SettingsFormProps {
  readonly service: Service;
  readonly mayChange: boolean;
  changed(): void;
}

interface SaveResult {
  readonly words: string;
  readonly isFault: boolean;
  /** Name of the rejected setting. */
  readonly member: string | null;
}

/** Settings of a service. Sends only changed ones; shows each error at its field. */
export function SettingsForm({ service, mayChange, changed }: SettingsFormProps): JSX.Element {
  const [draft, setDraft] = useState<Draft>({});
  const [outcome, setOutcome] = useState<SaveResult | null>(null);
  const [isBusy, setBusy] = useState(false);
  const settings = listSettings(service);
  const patch = createPatch(settings, draft);
  const names = Object.keys(patch);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const { deployId } = await changeHosting(['services', service.id, 'settings'], patch);
      const words = deployId === null ? 'Saved.' : `Saved. Deploy ${deployId} started.`;
      setOutcome({ words, isFault: false, member: null });
      announce(words);
      setDraft({});
      changed();
    } catch (thrown) {
      setOutcome({ words: errorMessage(thrown), isFault: true, member: rejectedField(thrown) });
    }
    setBusy(false);
  };
  const faultOf = (name: string): string | null =>
    outcome?.isFault === true && outcome.member === name ? outcome.words : null;
  const isPlaced = settings.some(({ name }) => name === outcome?.member);
  return (
    <section class="panel" aria-labelledby="service-settings">
      <h2 id="service-settings">Settings</h2>
      {mayChange ? null : <ReadOnlyNote />}
      <form
        class="settings-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <fieldset class="bare" disabled={!mayChange || isBusy} aria-labelledby="service-settings">
          {settings.map((setting) => (
            <SettingField
              key={setting.name}
              setting={setting}
              text={draft[setting.name] ?? setting.value}
              fault={faultOf(setting.name)}
              type={(text) => setDraft({ ...draft, [setting.name]: text })}
            />
          ))}
          <SaveBar
            names={names}
            undo={() => {
              setDraft({});
              setOutcome(null);
            }}
          />
        </fieldset>
        {outcome === null || (outcome.isFault && isPlaced) ? null : (
          <p class={outcome.isFault ? 'form-fault' : 'form-done'} role="status">
            {outcome.words}
          </p>
        )}
      </form>
    </section>
  );
}

/** The list of changed settings, with buttons to save or undo. */
function SaveBar({
  names,
  undo,
}: {
  readonly names: readonly string[];
  readonly undo: () => void;
}): JSX.Element {
  const isSame = names.length === 0;
  return (
    <div class="toolbar">
      <button type="submit" class="button is-primary" disabled={isSame}>
        Save
      </button>
      <button type="button" class="button" disabled={isSame} onClick={undo}>
        Undo
      </button>
      <span class="muted">{isSame ? 'No changes.' : `Changed: ${names.join(', ')}`}</span>
    </div>
  );
}

function SettingField({
  setting,
  text,
  fault,
  type,
}: {
  readonly setting: Setting;
  readonly text: string;
  readonly fault: string | null;
  readonly type: (text: string) => void;
}): JSX.Element {
  const { name, label, hint, kind, choices = [] } = setting;
  const id = `setting-${name}`;
  const shared = {
    id,
    name,
    class: 'field',
    value: text,
    'aria-invalid': fault !== null,
    'aria-describedby': describedByIds(id, hint, fault),
  };
  return (
    <FormField id={id} label={label} hint={hint} fault={fault}>
      {kind === 'choice' ? (
        <select {...shared} onChange={({ currentTarget }) => type(currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : null}
      {kind === 'command' ? (
        <textarea
          {...shared}
          rows={Math.min(6, text.split('\n').length)}
          spellcheck={false}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      ) : null}
      {kind === 'line' || kind === 'number' ? (
        <input
          {...shared}
          inputMode={kind === 'number' ? 'numeric' : 'text'}
          autocomplete="off"
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      ) : null}
    </FormField>
  );
}

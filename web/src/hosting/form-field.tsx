import type { ComponentChildren, JSX } from 'preact';

/** A labelled field with a hint and an error message. */
export function FormField({
  id,
  label,
  hint,
  fault,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly fault: string | null;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="form-field">
      <label for={id}>{label}</label>
      {children}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="muted">
          {hint}
        </p>
      )}
      {fault === null ? null : (
        <p id={`${id}-fault`} class="form-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/** Returns the `aria-describedby` of a field: the ids of its hint and error. */
export function describedByIds(id: string, hint: string | undefined, fault: string | null) {
  const parts = [hint === undefined ? '' : `${id}-hint`, fault === null ? '' : `${id}-fault`];
  const text = parts.filter((part) => part !== '').join(' ');
  return text === '' ? undefined : text;
}

/** A note that changes are disabled, with the command that enables them. */
export function ReadOnlyNote(): JSX.Element {
  return (
    <p class="stale-note">
      Read-only. To allow changes, start the server with{' '}
      <code>stoa serve --console-actions hosting</code>.
    </p>
  );
}

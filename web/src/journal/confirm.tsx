import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { errorMessage } from '../connection/request-error.ts';

/** Properties of a confirmation dialog. */
export interface ConfirmProps {
  readonly title: string;
  /** Describes exactly what the action does. */
  readonly children: ComponentChildren;
  /** Label of the confirm button. */
  readonly confirmLabel: string;
  /** False while required input is missing. */
  readonly isReady?: boolean;
  /** Runs the action. If it rejects, the dialog shows the error and stays open. */
  run(): Promise<void>;
  close(): void;
}

/** A modal confirmation dialog; restores the focus when it closes. */
export function ConfirmDialog({
  title,
  children,
  confirmLabel,
  isReady = true,
  run,
  close,
}: ConfirmProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const confirmed = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await run();
      dialog.current?.close();
    } catch (thrown) {
      setFault(errorMessage(thrown));
      setBusy(false);
    }
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="confirm-title" onClose={close}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      {fault === null ? null : (
        <p class="reason" role="alert">
          {fault}
        </p>
      )}
      <div class="dialog-buttons">
        <button type="button" class="button" autofocus onClick={() => dialog.current?.close()}>
          Cancel
        </button>
        <button
          type="button"
          class="button is-primary"
          disabled={isBusy || !isReady}
          onClick={() => void confirmed()}
        >
          {confirmLabel}
        </button>
      </div>
    </dialog>
  );
}

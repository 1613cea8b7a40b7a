import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../connection/refusal.ts';

/** A question before something is done that the journal will keep. */
export interface ConfirmProps {
  readonly title: string;
  /** Names exactly what happens. */
  readonly children: ComponentChildren;
  /** On the button that does it. */
  readonly words: string;
  /** False while what is asked for is not complete. */
  readonly isReady?: boolean;
  /** Rejects with words for a person when it was refused; the question then stays. */
  run(): Promise<void>;
  close(): void;
}

/** A dialog that takes the focus, gives it back, and does nothing unless its button is pressed. */
export function Confirm({
  title,
  children,
  words,
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
      setFault(wordsOf(thrown));
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
          {words}
        </button>
      </div>
    </dialog>
  );
}

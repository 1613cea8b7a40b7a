import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { parseCode, signIn } from '../connection/sign-in.ts';
import { useConnection } from '../connection/use-connection.ts';
import { useSite } from './console-site.ts';

/** The sign-in page; accepts a pasted link. */
export function SignedOut({ why }: { readonly why: string | null }): JSX.Element {
  const connection = useConnection();
  const [reason, setReason] = useState(why);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const link = new FormData(event.currentTarget as HTMLFormElement).get('link');
    const text = typeof link === 'string' ? link.trim() : '';
    const entered = await signIn(parseCode(text) ?? text);
    if (entered.isIn) connection.start();
    else setReason(entered.reason);
  };
  return (
    <section class="sheet" aria-labelledby="signed-out-title">
      <h1 id="signed-out-title">This browser is not signed in</h1>
      {reason === null ? null : (
        <p class="reason" role="alert">
          {reason}
        </p>
      )}
      <WhereIsTheLink />
      <p>Open the link in this browser, or paste it here:</p>
      <form class="row-form" onSubmit={(event) => void submit(event)}>
        <label class="visually-hidden" for="entry-link">
          Link or code
        </label>
        <input id="entry-link" name="link" class="field" autocomplete="off" required />
        <button type="submit" class="button is-primary">
          Sign in
        </button>
      </form>
    </section>
  );
}

function WhereIsTheLink(): JSX.Element {
  if (useSite().host === 'program') {
    return (
      <p>
        The link is the <code>url</code> that <code>openInspector</code> returned.
      </p>
    );
  }
  return (
    <>
      <p>
        On the machine where Stoa runs, this command prints a single-use link. It is valid for 10
        minutes:
      </p>
      <pre class="command">stoa console</pre>
    </>
  );
}

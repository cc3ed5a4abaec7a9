import { Button, Group, Stack } from '@mantine/core';
import { type FormEvent, lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, fieldsOf } from '../../api/client.ts';
import { explain } from '../../api/explain.ts';
import { InlineError } from '../states/states.tsx';
import { toast } from '../toast/toast.tsx';
import classes from './form.module.css';
import { FormContext, type FormContextValue, type MessageFormState } from './use-message-form.ts';

// Comes after the form itself: the sign-in page must not wait for dialogs it does not have.
const UnsavedGuard = lazy(() => import('./unsaved-guard.tsx').then((m) => ({ default: m.UnsavedGuard })));

interface Props<Values extends object> {
  form: MessageFormState<Values>;
  /** Label of the submit button: verb and noun. */
  submit: string;
  /** Sends the values; throwing keeps the form as it is and shows the error in place. */
  onSubmit: (values: Values) => Promise<unknown>;
  /** Called after a successful submit, when leaving the page is no longer guarded. */
  onSaved?: () => void;
  /** Read-only: all fields are disabled and there is no button. */
  disabled?: boolean;
  /** More buttons on the line of the submit button. */
  actions?: ReactNode;
  /** A form that is the whole card already: no frame of its own, and a button across. */
  bare?: boolean;
  /** Asks before changes are lost; true unless said otherwise. */
  guarded?: boolean;
  children: ReactNode;
}

/** A form that checks all its tabs, keeps what was typed when the server refuses, and guards unsaved changes. */
export function MessageForm<Values extends object>(props: Props<Values>) {
  const { form, submit, onSubmit, onSaved, disabled = false, actions, bare = false, guarded = true, children } = props;
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const saved = useRef(false);
  const element = useRef<HTMLFormElement>(null);
  const { refused } = form;

  useEffect(() => {
    if (!refused) return;
    const frame = requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [refused]);

  async function send(event: FormEvent) {
    event.preventDefault();
    event.stopPropagation();
    setFailure(null);
    if (!form.check()) return;
    setPending(true);
    try {
      await onSubmit(form.values);
      saved.current = true;
      onSaved?.();
    } catch (error) {
      setFailure(error);
      toast.error(explain(error));
      if (error instanceof ApiError) showFieldErrors(form, fieldsOf(error));
    } finally {
      setPending(false);
    }
  }

  const context = useMemo<FormContextValue>(
    () => ({ form: form as unknown as MessageFormState<object>, disabled: disabled || pending }),
    [form, disabled, pending],
  );
  return (
    <FormContext value={context}>
      <form ref={element} className={bare ? undefined : classes.form} onSubmit={(event) => void send(event)} noValidate>
        <Stack gap="md">
          {children}
          <InlineError error={failure} />
          {(!disabled || actions) && (
            <Group justify="flex-end">
              {actions}
              {!disabled && (
                <Button type="submit" loading={pending} fullWidth={bare}>
                  {submit}
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </form>
      {guarded && !disabled && (
        <Suspense>
          <UnsavedGuard when={() => form.dirty && !saved.current} />
        </Suspense>
      )}
    </FormContext>
  );
}

/** The server names a field by its place in the request (`device.devEUI`); a form knows it without the message in front. */
function showFieldErrors<Values>(form: MessageFormState<Values>, fields: Record<string, string>) {
  const known = [...form.fields.keys()];
  const problems = Object.entries(fields).flatMap(([place, problem]) => {
    const path = known.find((one) => place === one || place.endsWith(`.${one}`));
    return path ? [[path, problem] as const] : [];
  });
  if (problems.length > 0) form.refuse(Object.fromEntries(problems));
}

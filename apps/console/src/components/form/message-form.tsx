import { Alert, Button, Group, Stack } from '@mantine/core';
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, fieldsOf } from '../../api/client.ts';
import { type FieldName, factsOf } from '../../api/facts.ts';
import { InlineError } from '../states/states.tsx';
import classes from './form.module.css';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { FormContext, type FormContextValue, type MessageFormState } from './use-message-form.ts';

export interface StayButtonProps {
  disabled: boolean;
  onSave: () => void;
}

interface Props<Values extends object> {
  form: MessageFormState<Values>;
  /** Label of the submit button: verb and noun. */
  submit: string;
  /** Sends the values. If it throws, the form keeps its input and shows the error. */
  onSubmit: (values: Values) => Promise<unknown>;
  /** Called after a successful submit, when the unsaved-changes guard is off. */
  onSaved?: () => void;
  /** Saves without leaving the page. A component of the caller, because the sign-in does not need its code. */
  stayButton?: ComponentType<StayButtonProps> | undefined;
  /** Creates a new object: fields that are fixed later can be set. */
  isNew?: boolean;
  /** Read-only: all fields are disabled and there is no button. */
  disabled?: boolean;
  /** Content above the buttons, in sight with them. */
  beforeButtons?: ReactNode;
  /** More buttons beside the submit button. */
  actions?: ReactNode;
  /** The form is the whole card: no frame of its own, and a full-width button. */
  bare?: boolean;
  /** Uses the full width of the page. */
  wide?: boolean;
  /** A smaller form beside the main one of the page: its button is not filled. */
  isBeside?: boolean;
  /** Asks before unsaved changes are discarded; true by default. */
  guarded?: boolean;
  /** `onSubmit` saves more than the form, and that has changes. */
  hasOtherChanges?: boolean;
  children: ReactNode;
}

/** A form that validates all its tabs, keeps its input when the server refuses it, and guards unsaved changes. */
export function MessageForm<Values extends object>({
  form,
  submit,
  onSubmit,
  onSaved,
  stayButton: StayButton,
  isNew = false,
  disabled = false,
  beforeButtons,
  actions,
  bare = false,
  wide = false,
  isBeside = false,
  guarded = true,
  hasOtherChanges = false,
  children,
}: Props<Values>) {
  const { send, pending, failure, saved } = useSend(form, onSubmit, onSaved);
  const element = useRef<HTMLFormElement>(null);
  const { refused } = form;

  useEffect(() => {
    if (!refused) return;
    const frame = requestAnimationFrame(() =>
      element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [refused]);

  const context = useMemo<FormContextValue>(
    () => ({
      form: form as unknown as MessageFormState<object>,
      disabled: disabled || pending,
      readOnly: disabled,
      isNew,
    }),
    [form, disabled, pending, isNew],
  );
  return (
    <FormContext value={context}>
      <form
        ref={element}
        className={bare ? undefined : classes.form}
        data-wide={wide || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void send({ stay: false });
        }}
        noValidate
      >
        <Stack gap="md">
          {children}
          <div className={classes.foot}>
            {beforeButtons}
            <Overruling form={form} />
            <InlineError error={failure} />
            {(!disabled || actions) && (
              <Group justify="flex-end">
                {actions}
                {StayButton && !disabled && <StayButton disabled={pending} onSave={() => void send({ stay: true })} />}
                {!disabled && (
                  <Button
                    type="submit"
                    variant={isBeside ? 'default' : 'filled'}
                    loading={pending}
                    fullWidth={bare && !actions}
                  >
                    {submit}
                  </Button>
                )}
              </Group>
            )}
          </div>
        </Stack>
      </form>
      {guarded && !disabled && <UnsavedGuard when={() => (form.dirty || hasOtherChanges) && !saved.current} />}
    </FormContext>
  );
}

/** Sends the form, one request at a time; a refusal is shown at its fields, else it is the `failure`. */
function useSend<Values extends object>(
  form: MessageFormState<Values>,
  onSubmit: Props<Values>['onSubmit'],
  onSaved: Props<Values>['onSaved'],
) {
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [focusBefore, setFocusBefore] = useState<Element | null>(null);
  const saved = useRef(false);

  // Disabling a field takes its focus; it is restored when the form stays.
  useEffect(() => {
    if (focusBefore instanceof HTMLElement && !pending) focusBefore.focus();
  }, [focusBefore, pending]);

  async function send({ stay }: { stay: boolean }) {
    if (pending) return;
    setFailure(null);
    if (!form.check()) return;
    const focused = document.activeElement;
    const sent = form.sent();
    setPending(true);
    try {
      await onSubmit(sent);
      if (stay) {
        form.accept(sent);
        setFocusBefore(focused);
        return;
      }
      saved.current = true;
      onSaved?.();
    } catch (error) {
      if (error instanceof ApiError && showFieldErrors(form, error)) return;
      setFailure(error);
      setFocusBefore(focused);
    } finally {
      setPending(false);
    }
  }
  return { send, pending, failure, saved };
}

/** Names the fields that another user changed meanwhile, and what saving does to them. */
function Overruling<Values extends object>({ form: { message, conflicts } }: { form: MessageFormState<Values> }) {
  if (conflicts.length === 0) return null;
  const labels = conflicts.map((path) => factsOf(message, path as FieldName).label);
  return (
    <Alert color="yellow" role="status" p="xs">
      {`Another user has changed this record: ${labels.join(', ')}. Saving overwrites that change.`}
    </Alert>
  );
}

/**
 * The server names a field by its path in the request (`device.devEUI`); the form uses the path without the message
 * name. Returns whether all violations are shown at fields.
 */
function showFieldErrors<Values>(form: MessageFormState<Values>, error: ApiError): boolean {
  const fields = Object.entries(fieldsOf(error));
  const problems = fields.flatMap(([fieldPath, problem]) => {
    const path = fieldAt(fieldPath, [...form.fields.keys()]);
    return path ? [[path, `${problem} (code: ${error.code})`] as const] : [];
  });
  if (problems.length > 0) form.refuse(Object.fromEntries(problems));
  return problems.length > 0 && problems.length === fields.length;
}

/**
 * The mounted field of a path: the outermost one, because an error in a list item (`channels.2`) is shown at the list.
 */
function fieldAt(fieldPath: string, paths: string[]): string | undefined {
  const found = paths
    .map((path) => ({ path, at: `.${fieldPath}.`.indexOf(`.${path}.`) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at || other.path.length - one.path.length);
  return found[0]?.path;
}

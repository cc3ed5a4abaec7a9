import { createContext, use, useEffect, useMemo, useState } from 'react';
import { type FieldName, factsOf, type MessageName } from '../../api/facts.ts';
import { discardDraft, draftOf } from '../return-path/return-path.ts';
import { isSame, merge } from './merge.ts';
import { fillHidden, getIn, setIn } from './path.ts';
import { type FieldRules, problemOf } from './rules.ts';

/** A mounted field: its validation and its tab. */
interface Registered {
  rules: FieldRules;
  tab: string | undefined;
}

type Problems = Record<string, string>;

export interface MessageFormState<Values> {
  /** Name of the contract message whose facts label and validate the fields. */
  message: MessageName;
  values: Values;
  errors: Problems;
  dirty: boolean;
  /** Fields that another user changed after this user edited them; saving overwrites their changes. */
  conflicts: string[];
  set(path: FieldName, value: unknown): void;
  /** Sets a suggested value, which does not count as an unsaved change. */
  preset(path: FieldName, value: unknown): void;
  /** The mounted fields by path, in the order of the page. */
  fields: Map<FieldName, Registered>;
  /** Takes over what was sent as saved: the form stays open and has no changes. */
  accept(sent: Values): void;
  /** The values to send: without emptied numbers of unmounted fields and with trimmed texts. */
  sent(): Values;
  /**
   * Validates all mounted fields. Returns false, shows the errors and opens the tab of the first one if any is invalid.
   */
  check(): boolean;
  /** Shows errors found elsewhere, for instance by the server. */
  refuse(problems: Problems): void;
  /** The last failed validation: the tab of its first error. A new object each time. */
  refused: { tab: string | undefined } | null;
}

/**
 * The state of a form over one message of the contract. When `values` change while the form is open (a refetch), they
 * replace fields that the user did not edit. A page that shows another object must give its form another `key`.
 */
export function useMessageForm<Values extends object>(
  message: MessageName,
  options: { values: Values },
): MessageFormState<Values> {
  // What the server last answered, and what the user's changes are relative to; they differ between saving and reading.
  const [answered, setAnswered] = useState(options.values);
  const [stored, setStored] = useState(options.values);
  const [accepted, setAccepted] = useState<{ sent: Values; before: Values } | null>(null);
  const [values, setValues] = useState<Values>(() => draftOf<Values>(message) ?? stored);
  useEffect(discardDraft, []);
  const [presets, setPresets] = useState<ReadonlyMap<FieldName, unknown>>(new Map());
  const [conflicts, setConflicts] = useState<string[]>([]);
  const [errors, setErrors] = useState<Problems>({});
  const [refused, setRefused] = useState<{ tab: string | undefined } | null>(null);
  const [fields] = useState(() => new Map<FieldName, Registered>());

  if (!isSame(options.values, answered)) {
    const merged = merge(values, stored, options.values);
    setAnswered(options.values);
    setStored(options.values);
    setValues(merged.values);
    setConflicts(merged.conflicts);
  } else if (accepted) {
    // The answer may be here already. It hides secrets and tidies texts, so it replaces what was sent.
    const saved = accepted.before === answered ? accepted.sent : answered;
    setAccepted(null);
    setStored(saved);
    setValues(saved);
    setPresets(new Map());
    setConflicts([]);
  }

  function refuse(problems: Problems) {
    setErrors(problems);
    setRefused({ tab: [...fields].find(([path]) => path in problems)?.[1].tab });
  }

  function trimmed(): Values {
    return [...fields].reduce<Values>((all, [path, { rules }]) => {
      const value = getIn(all, path);
      return rules.trim && typeof value === 'string' ? setIn(all, path, value.trim()) : all;
    }, values);
  }

  return {
    message,
    values,
    errors,
    refused,
    fields,
    refuse,
    dirty: useMemo(() => !isSame(values, filledIn(stored, presets)), [values, stored, presets]),
    conflicts,
    set(path, value) {
      setValues((current) => setIn(current, path, value));
      const isAbout = (problem: string) => problem === path || problem.startsWith(`${path}.`);
      setErrors((current) => Object.fromEntries(Object.entries(current).filter(([problem]) => !isAbout(problem))));
    },
    preset(path, value) {
      setPresets((current) => new Map(current).set(path, value));
      setValues((current) => setIn(current, path, value));
    },
    accept: (sent) => setAccepted({ sent, before: answered }),
    sent: () => fillHidden(trimmed(), stored, (path) => fields.has(path as FieldName)),
    check() {
      const problems: Problems = {};
      const given = trimmed();
      for (const [path, { rules }] of fields) {
        const problem = problemOf(getIn(given, path), given, factsOf(message, path), rules);
        if (problem) problems[path] = problem;
      }
      if (Object.keys(problems).length === 0) return true;
      refuse(problems);
      return false;
    },
  };
}

const filledIn = <Values extends object>(values: Values, presets: ReadonlyMap<FieldName, unknown>): Values =>
  [...presets].reduce((all, [path, value]) => setIn(all, path, value), values);

export interface FormContextValue {
  form: MessageFormState<object>;
  disabled: boolean;
  /** A read-only form requires nothing. */
  readOnly: boolean;
  /** Fields that are fixed after creation can be set. */
  isNew: boolean;
}

export const FormContext = createContext<FormContextValue | null>(null);
/** The form tab or section that contains the fields below. */
export const TabContext = createContext<string | undefined>(undefined);
/** The level of the next heading. */
export const LevelContext = createContext<2 | 3>(2);

export function useFormContext(): FormContextValue {
  const context = use(FormContext);
  if (!context) throw new Error('A form field stands outside a MessageForm.');
  return context;
}

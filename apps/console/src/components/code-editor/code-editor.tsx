import { Input, Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useId } from 'react';
import classes from './code-editor.module.css';
import type { EditorMark } from './editor-mark.ts';

const CodeMirror = lazy(() => import('./code-mirror.tsx').then((module) => ({ default: module.CodeMirror })));

export interface CodeEditorProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: 'javascript' | 'json';
  /** Shown initially when the value is empty; becomes the value only when it is edited. */
  skeleton?: string;
  description?: ReactNode;
  error?: ReactNode;
  required?: boolean;
  readOnly?: boolean;
  disabled?: boolean;
  /** Height in pixels. */
  height?: number;
  id?: string;
  /** The line of an error. Lines that are added or removed above it move it. */
  mark?: EditorMark | null;
}

/** A code editor with highlighting and line numbers, loaded when it is shown. Tab moves to the next field. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, description, error, required = false, height = 280 } = props;
  const id = useId();
  const described = [description && `${id}-description`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div>
      <Input.Label id={`${id}-label`} labelElement="div" required={required}>
        {label}
      </Input.Label>
      <div className={classes.frame} style={{ height }} data-invalid={Boolean(error) || undefined}>
        <Suspense fallback={<Skeleton height={height} />}>
          <CodeMirror
            value={props.value}
            skeleton={props.skeleton ?? ''}
            language={props.language}
            isReadOnly={props.readOnly === true || props.disabled === true}
            onChange={props.onChange}
            labelledBy={`${id}-label`}
            describedBy={described}
            isInvalid={Boolean(error)}
            mark={props.mark ?? null}
          />
        </Suspense>
      </div>
      {description && (
        <Input.Description id={`${id}-description`} mt={4}>
          {description}
        </Input.Description>
      )}
      {error && (
        <Input.Error id={`${id}-error`} mt={4}>
          {error}
        </Input.Error>
      )}
    </div>
  );
}

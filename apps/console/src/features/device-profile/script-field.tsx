import type { FieldName } from '../../api/facts.ts';
import { CodeEditor } from '../../components/code-editor/code-editor.tsx';
import type { EditorMark } from '../../components/code-editor/editor-mark.ts';
import { useField } from '../../components/form/use-field.ts';

/** A codec script. An empty one shows a template, which is not saved until it is edited. */
export function ScriptField({ name, skeleton, mark }: { name: FieldName; skeleton: string; mark: EditorMark | null }) {
  const { value, onChange, disabled, label, description, error } = useField<string>(name);
  return (
    <CodeEditor
      label={label}
      description={description}
      language="javascript"
      error={error}
      mark={mark}
      readOnly={disabled}
      value={value === '' ? skeleton : value}
      onChange={(text) => onChange(text === skeleton ? '' : text)}
    />
  );
}

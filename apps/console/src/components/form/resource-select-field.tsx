import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { type FieldName, factsOf } from '../../api/facts.ts';
import type { Read } from '../../api/queries.ts';
import { paths } from '../../paths.ts';
import { nounOf, type Resource, resources } from '../../resources.ts';
import { useMay } from '../../session/session.tsx';
import { AppLink } from '../link/link.tsx';
import { useIDs } from '../link/use-ids.ts';
import { useFollowAndReturn } from '../return-path/use-return-path.ts';
import { SelectField } from './fields.tsx';
import classes from './form.module.css';
import { getIn } from './path.ts';
import { type FieldRules, isRequired } from './rules.ts';
import { useFormContext } from './use-message-form.ts';

interface Row {
  id: string;
  name: string;
}

interface Props extends FieldRules {
  name: FieldName;
  /** The list to choose from; request up to 999 rows. */
  query: Read<{ result: readonly Row[] }>;
  clearable?: boolean;
  disabled?: boolean;
}

/** Selects another resource by name; the value is its id. */
export function ResourceSelectField({ query, ...field }: Props) {
  const { data, isPending, isError } = useQuery(query);
  useOnlyChoice(field, data?.result);
  const { form, isNew, disabled } = useFormContext();
  const id = getIn(form.values, field.name);
  // Without permission to read the list, the value is shown as its ID.
  const unnamed = isError && typeof id === 'string' && id !== '' ? [{ id, name: id }] : [];
  const [resource] = query.queryKey;
  const isExpected = data && isNew && !disabled && !field.clearable;
  // The field keeps its place in the tree when the options arrive: mounted anew, its list would close.
  return (
    <div>
      <SelectField
        {...field}
        searchable
        placeholder={isPending && query.enabled !== false ? 'Loading ...' : 'Choose ...'}
        options={(data?.result ?? unnamed).map(({ id, name }) => ({ value: id, label: name }))}
      />
      {isExpected && typeof resource === 'string' && isResource(resource) && (
        <CreateMissing of={resource} field={field.name} />
      )}
    </div>
  );
}

const isResource = (name: string): name is Resource => name in resources;

/** A link to the page that creates a missing resource; that page returns to this form with its input. */
function CreateMissing({ of, field }: { of: Resource; field: FieldName }) {
  const { form } = useFormContext();
  const { organizationID } = useIDs();
  const to = paths[of].create(organizationID);
  const leave = useFollowAndReturn(to);
  const may = useMay();
  if (!may(`${of}.create`)) return null;
  return (
    <AppLink
      to={to}
      className={classes.missing ?? ''}
      onClick={(event) => leave(event, { message: form.message, values: form.values, field })}
    >
      {`Create a ${nounOf(of)}`}
    </AppLink>
  );
}

/** Selects the only option of a required field. */
function useOnlyChoice({ name, required, clearable }: Omit<Props, 'query'>, rows: readonly Row[] | undefined) {
  const { form, isNew, disabled } = useFormContext();
  const [only, ...others] = rows ?? [];
  const isOpen = isNew && !disabled && !clearable && getIn(form.values, name) === '';
  const isNeeded = isRequired(form.values, factsOf(form.message, name), required === undefined ? {} : { required });
  const chosen = isOpen && isNeeded && others.length === 0 ? only?.id : undefined;
  const latest = useRef(form);
  useLayoutEffect(() => {
    latest.current = form;
  });
  useEffect(() => {
    if (chosen !== undefined) latest.current.preset(name, chosen);
  }, [chosen, name]);
}

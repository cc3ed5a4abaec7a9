import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { perform, query } from '../../api/queries.ts';
import { useIDs } from '../../components/link/use-ids.ts';
import { Loaded } from '../../components/states/loaded.tsx';
import { paths } from '../../paths.ts';
import { ApplicationForm } from './application-form.tsx';

export function ApplicationEdit() {
  const { organizationID, applicationID } = useIDs();
  const navigate = useNavigate();
  return (
    <Loaded query={useQuery(query('application', 'get', { id: applicationID }))}>
      {({ application }) => (
        <ApplicationForm
          key={application.id}
          initial={application}
          organizationID={organizationID}
          submit="Update application"
          onSubmit={(changed) =>
            perform(api.application.update({ application: changed }), {
              changed: ['application'],
              done: 'application has been updated',
            })
          }
          onSaved={() => void navigate({ to: paths.application(organizationID, applicationID) })}
        />
      )}
    </Loaded>
  );
}

/**
 * How many daemons of an account are enrolled and not revoked, beside the account, so that an enrolment need not count
 * them. Triggers keep it: a node of an older version, which knows nothing of it, is counted too. Daemons are locked
 * first, as by whoever enrols while this runs.
 */
export const statements: ReadonlyArray<string> = [
  "lock table daemons in share row exclusive mode",
  "alter table accounts add column daemons bigint not null default 0",
  `update accounts a set daemons = n.count
    from (select account_id, count(*) as count from daemons where not revoked group by account_id) as n
    where a.id = n.account_id`,
  `create function daemons_were_added() returns trigger language plpgsql as $$ begin
    update accounts a set daemons = a.daemons + n.count
      from (select account_id, count(*) as count from added where not revoked group by account_id) as n
      where a.id = n.account_id;
    return null;
  end $$`,
  `create function daemons_were_removed() returns trigger language plpgsql as $$ begin
    update accounts a set daemons = a.daemons - n.count
      from (select account_id, count(*) as count from removed where not revoked group by account_id) as n
      where a.id = n.account_id;
    return null;
  end $$`,
  `create function daemon_was_revoked_or_not() returns trigger language plpgsql as $$ begin
    update accounts set daemons = daemons + case when new.revoked then -1 else 1 end where id = new.account_id;
    return null;
  end $$`,
  `create trigger daemons_added after insert on daemons referencing new table as added
    for each statement execute function daemons_were_added()`,
  `create trigger daemons_removed after delete on daemons referencing old table as removed
    for each statement execute function daemons_were_removed()`,
  `create trigger daemons_revoked after update of revoked on daemons
    for each row when (old.revoked is distinct from new.revoked) execute function daemon_was_revoked_or_not()`,
  "create index daemons_revoked_of_account on daemons (account_id, created_at, id) where revoked"
]

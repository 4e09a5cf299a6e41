-- put: insert a notification
insert into notification (team, id, notice, proposal, created_at)
values (:team, :id, :notice, :proposal, :created_at)

-- undelivered: notifications not yet sent to a channel, oldest first
select team, id, notice, proposal, created_at from notification
where team = :team and not exists (
  select 1 from delivery
  where delivery.team = notification.team and delivery.channel = :channel
    and delivery.notification = notification.id
)
order by id limit :limit

-- deliver: mark a notification as sent to a channel
insert into delivery (team, channel, notification, delivered_at)
values (:team, :channel, :notification, :delivered_at)
on conflict do nothing

-- put: something to be told
insert into notification (team, id, notice, proposal, created_at)
values (:team, :id, :notice, :proposal, :created_at)

-- undelivered: what a channel has not been told, oldest first
select team, id, notice, proposal, created_at from notification
where team = :team and not exists (
  select 1 from delivery
  where delivery.team = notification.team and delivery.channel = :channel
    and delivery.notification = notification.id
)
order by id limit :limit

-- deliver: that a channel was told
insert into delivery (team, channel, notification, delivered_at)
values (:team, :channel, :notification, :delivered_at)
on conflict do nothing

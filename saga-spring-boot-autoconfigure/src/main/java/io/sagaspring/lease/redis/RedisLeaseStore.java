package io.sagaspring.lease.redis;

import io.sagaspring.fence.FencingToken;
import io.sagaspring.fence.HeldLease;
import io.sagaspring.lease.Completion;
import io.sagaspring.lease.LeaseName;
import io.sagaspring.lease.LeaseStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Stores leases on Redis, with one script for each operation, using the server's clock. A name has three keys, which
 * share one slot of a cluster:
 *
 * <ul>
 *   <li>One key for the owner, which expires with the lease.
 *   <li>One key for the token counter, and one for the completion. Both of these are removed if the name is not used
 *       during the retention. After that, the tokens start from the beginning.
 * </ul>
 *
 * <p>After a failover to a lagging replica, Redis may have lost an owner that it had acknowledged, and may issue the
 * same token again. If a write must not happen twice, keep its lease in the store that receives the write.
 *
 * @since 0.1.0
 */
public final class RedisLeaseStore implements LeaseStore {

    private static final String PREFIX = "saga:lease:";

    /**
     * The beginning of all scripts. {@code known} returns the state of a name: token, attempt, completion and remaining
     * time. The value of {@code holder} contains the owner's token and is set together with its expiry, so that it
     * never lacks an expiry. If the counter {@code tokens} has been removed but {@code holder} has not, the counter
     * continues from the owner's token.
     */
    private static final String KNOWN = """
            local holder, tokens, ended = KEYS[1], KEYS[2], KEYS[3]
            local function held()
                local token, ttl, attempt = string.match(redis.call('GET', holder) or '', '^(%d+) (%d+) (%S*)')
                return token, ttl, attempt
            end
            local function hold(token, ttl, attempt, node)
                redis.call('SET', holder, token .. ' ' .. ttl .. ' ' .. attempt .. ' ' .. node, 'PX', ttl)
            end
            local function latest()
                return redis.call('GET', tokens) or (held())
            end
            local function remember(token, retention)
                if redis.call('PEXPIRE', tokens, retention) == 0 then redis.call('SET', tokens, token, 'PX', retention) end
            end
            local function known()
                local token, _, _, attempt = latest(), held()
                if not token then return {} end
                return {token, attempt or '', redis.call('GET', ended) or '',
                    tostring(math.max(redis.call('PTTL', holder), 0))}
            end
            """;

    private static final RedisScript<List<Object>> ACQUIRE = script("""
            if redis.call('EXISTS', holder, ended) == 0 then
                local token = string.format('%d', redis.call('INCR', tokens))
                redis.call('PEXPIRE', tokens, ARGV[4])
                hold(token, ARGV[3], ARGV[1], ARGV[2])
            end
            return known()
            """);

    private static final RedisScript<List<Object>> LOOK = script("return known()");

    private static final RedisScript<Long> RENEW = test("""
            local token, ttl = held()
            if token ~= ARGV[1] then return 0 end
            remember(token, ARGV[2])
            return redis.call('PEXPIRE', holder, ttl)
            """);

    private static final RedisScript<Long> IS_HELD = test("return held() == ARGV[1] and 1 or 0");

    private static final RedisScript<Long> REATTACH = test("""
            if latest() ~= ARGV[1] or redis.call('EXISTS', ended) == 1 then return 0 end
            local _, _, attempt = held()
            remember(ARGV[1], ARGV[3])
            hold(ARGV[1], ARGV[2], attempt or '', '')
            return 1
            """);

    private static final RedisScript<Long> RELEASE = test("""
            if held() ~= ARGV[1] then return 0 end
            remember(ARGV[1], ARGV[2])
            return redis.call('DEL', holder)
            """);

    private static final RedisScript<Long> COMPLETE = test("""
            if latest() ~= ARGV[1] then return 0 end
            local before = redis.call('GET', ended)
            if before then return before == ARGV[2] and 1 or 0 end
            redis.call('SET', ended, ARGV[2], 'PX', ARGV[3])
            remember(ARGV[1], ARGV[3])
            redis.call('DEL', holder)
            return 1
            """);

    /** The number of keys of a name. */
    private static final int KEYS = 3;

    private static final UUID UNKNOWN_ATTEMPT = new UUID(0, 0);

    private final StringRedisTemplate redis;
    private final String retention;

    /**
     * Creates a store on a server or a cluster.
     *
     * @param redis the template for the server or cluster
     * @param retention the time after which an unused name is removed; longer than any lease
     */
    public RedisLeaseStore(StringRedisTemplate redis, Duration retention) {
        this.redis = redis;
        this.retention = Long.toString(retention.toMillis());
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // A script declares its result type without the element type.
    private static RedisScript<List<Object>> script(String body) {
        return (RedisScript) RedisScript.of(KNOWN + body, List.class);
    }

    private static RedisScript<Long> test(String body) {
        return RedisScript.of(KNOWN + body, Long.class);
    }

    /**
     * Returns the keys of a name. They share one slot, because only the text between the first braces determines the
     * slot.
     */
    private static List<String> keys(LeaseName name) {
        String key = PREFIX + "{" + name.text().replace("%", "%25").replace("}", "%7D") + "}";
        return List.of(key, key + ":token", key + ":end");
    }

    @Override
    public Found acquire(LeaseName name, Attempt attempt) {
        List<Object> known = redis.execute(
                ACQUIRE,
                keys(name),
                attempt.id().toString(),
                attempt.node(),
                Long.toString(attempt.ttl().toMillis()),
                retention);
        return found(name, Objects.requireNonNull(known));
    }

    @Override
    public Optional<Found> find(LeaseName name) {
        return Optional.ofNullable(redis.execute(LOOK, keys(name)))
                .filter(known -> !known.isEmpty())
                .map(known -> found(name, known));
    }

    private static Found found(LeaseName name, List<Object> known) {
        if (known.size() != 4) {
            throw new RedisSystemException(
                    "The state of the lease on '%s' in Redis cannot be read. It must consist of 4 values, but is %s."
                            .formatted(name, known),
                    null);
        }
        String attempt = known.get(1).toString();
        String completion = known.get(2).toString();
        return new Found(
                new FencingToken(Long.parseLong(known.get(0).toString())),
                attempt.isEmpty() ? UNKNOWN_ATTEMPT : UUID.fromString(attempt),
                completion.isEmpty() ? null : Completion.valueOf(completion),
                Duration.ofMillis(Long.parseLong(known.get(3).toString())));
    }

    @Override
    public boolean renew(LeaseName name, FencingToken token) {
        return succeeds(RENEW, name, token, retention);
    }

    @Override
    public boolean reattach(LeaseName name, FencingToken token, Duration ttl) {
        return succeeds(REATTACH, name, token, Long.toString(ttl.toMillis()), retention);
    }

    @Override
    public boolean release(LeaseName name, FencingToken token) {
        return succeeds(RELEASE, name, token, retention);
    }

    @Override
    public boolean complete(LeaseName name, FencingToken token, Completion completion) {
        return succeeds(COMPLETE, name, token, completion.name(), retention);
    }

    private boolean succeeds(RedisScript<Long> script, LeaseName name, FencingToken token, String... more) {
        Object[] arguments = new Object[more.length + 1];
        arguments[0] = token.toString();
        System.arraycopy(more, 0, arguments, 1, more.length);
        @Nullable Long answer = redis.execute(script, keys(name), arguments);
        return answer != null && answer == 1;
    }

    /** Returns 0, because keys in Redis expire on their own. */
    @Override
    public int purge(int limit) {
        return 0;
    }

    @Override
    public Set<HeldLease> renew(Connecting keeper, Collection<HeldLease> held) {
        return succeeding(held, RENEW, retention);
    }

    @Override
    public Set<HeldLease> stillHeld(Connecting keeper, Collection<HeldLease> held) {
        return succeeding(held, IS_HELD);
    }

    /**
     * Runs a script for all leases in one round trip, because each heartbeat renews them all. Returns the leases for
     * which the script succeeds.
     */
    private Set<HeldLease> succeeding(Collection<HeldLease> held, RedisScript<Long> script, String... more) {
        List<HeldLease> all = List.copyOf(held);
        List<Object> answers;
        try {
            answers = pipelined(all, script, more);
        } catch (UnsupportedOperationException noPipeline) {
            return oneByOne(all, script, more);
        } catch (DataAccessException refused) {
            if (!isUnknownScript(refused)) {
                // A client without pipelines throws this exception, for example Jedis on a cluster.
                if (refused instanceof InvalidDataAccessApiUsageException) {
                    return oneByOne(all, script, more);
                }
                throw refused;
            }
            // Redis was restarted, or has never run this script. Load the script and try again.
            redis.execute((RedisCallback<String>)
                    connection -> connection.scriptingCommands().scriptLoad(bytes(script.getScriptAsString())));
            answers = pipelined(all, script, more);
        }
        Set<HeldLease> succeeded = new HashSet<>();
        for (int each = 0; each < all.size(); each++) {
            if (answers.get(each) instanceof Long answer && answer == 1) {
                succeeded.add(all.get(each));
            }
        }
        return succeeded;
    }

    private Set<HeldLease> oneByOne(List<HeldLease> all, RedisScript<Long> script, String... more) {
        return all.stream()
                .filter(each -> succeeds(script, LeaseName.read(each.id()), each.token(), more))
                .collect(Collectors.toSet());
    }

    private List<Object> pipelined(List<HeldLease> all, RedisScript<Long> script, String... more) {
        return redis.executePipelined((RedisCallback<@Nullable Object>) connection -> {
            for (HeldLease each : all) {
                Stream<String> arguments = Stream.concat(Stream.of(each.token().toString()), Stream.of(more));
                byte[][] keysAndArguments = Stream.concat(keys(LeaseName.read(each.id())).stream(), arguments)
                        .map(RedisLeaseStore::bytes)
                        .toArray(byte[][]::new);
                connection.scriptingCommands().evalSha(script.getSha1(), ReturnType.INTEGER, KEYS, keysAndArguments);
            }
            return null;
        });
    }

    private static boolean isUnknownScript(Throwable refused) {
        return NestedExceptionUtils.getMostSpecificCause(refused).toString().contains("NOSCRIPT")
                || String.valueOf(refused.getMessage()).contains("NOSCRIPT");
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}

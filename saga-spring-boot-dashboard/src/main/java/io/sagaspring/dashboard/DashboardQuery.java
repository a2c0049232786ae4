package io.sagaspring.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** The parameters of a request. Unknown, repeated and unreadable parameters are refused. */
final class DashboardQuery {

    private static final int LONGEST = 1_000;
    private static final int LIMIT = 50;
    private static final int MOST = 200;
    private static final String REPEATED = "label";
    private static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

    private final Map<String, String[]> values;
    private final boolean mayOperate;

    private DashboardQuery(Map<String, String[]> values, boolean mayOperate) {
        this.values = values;
        this.mayOperate = mayOperate;
    }

    static DashboardQuery of(HttpServletRequest request, Set<String> allowed, boolean mayOperate) {
        return of(parameters(request), allowed, mayOperate);
    }

    static DashboardQuery of(Map<String, String[]> values, Set<String> allowed, boolean mayOperate) {
        for (Map.Entry<String, String[]> each : values.entrySet()) {
            String name = each.getKey();
            if (!allowed.contains(name)) {
                throw ProblemException.badRequest(
                        allowed.isEmpty()
                                ? "A parameter was given, but this address has none. Remove it."
                                : "A parameter is unknown. Use only these: %s."
                                        .formatted(String.join(", ", new TreeSet<>(allowed))));
            }
            if (each.getValue().length > 1 && !name.equals(REPEATED)) {
                throw ProblemException.badRequest("The parameter '%s' was given twice. Give it once.".formatted(name));
            }
            for (String value : each.getValue()) {
                requireStorable(name, value);
            }
        }
        return new DashboardQuery(values, mayOperate);
    }

    private static Map<String, String[]> parameters(HttpServletRequest request) {
        try {
            return request.getParameterMap();
        } catch (IllegalStateException malformed) {
            throw ProblemException.badRequest("The query of the address cannot be decoded. Check its percent signs.");
        }
    }

    private static void requireStorable(String name, String value) {
        if (value.indexOf('\0') >= 0) {
            throw ProblemException.badRequest(
                    "The parameter '%s' contains the character NUL, which is not allowed. Remove it.".formatted(name));
        }
        if (value.length() > LONGEST) {
            throw ProblemException.badRequest(
                    "The parameter '%s' is longer than 1,000 characters. Shorten it.".formatted(name));
        }
    }

    /** Returns the operations that the page offers, or none if the person may not perform operations. */
    List<String> offered(String... operations) {
        return mayOperate ? List.of(operations) : List.of();
    }

    @Nullable
    String text(String name) {
        String[] found = values.get(name);
        return found == null || found.length == 0 ? null : found[0];
    }

    /** Returns a parameter, or null if it is missing or empty. Use this only if an empty value has no meaning. */
    @Nullable
    String nonEmpty(String name) {
        String found = text(name);
        return found == null || found.isEmpty() ? null : found;
    }

    List<String> labels() {
        return List.of(values.getOrDefault(REPEATED, new String[0]));
    }

    int limit() {
        String text = nonEmpty("limit");
        if (text == null) {
            return LIMIT;
        }
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MOST) {
                return limit;
            }
        } catch (NumberFormatException noNumber) {
            throw ProblemException.badRequest("The parameter 'limit' is not a number. Use 1 to 200.");
        }
        throw ProblemException.badRequest("The parameter 'limit' must be from 1 to 200.");
    }

    boolean flag(String name) {
        String text = nonEmpty(name);
        if (text != null && !text.equals("true") && !text.equals("false")) {
            throw ProblemException.badRequest("The parameter '%s' must be true or false.".formatted(name));
        }
        return "true".equals(text);
    }

    @Nullable
    Instant time(String name) {
        return read(name, DashboardQuery::storable, "Write a time in UTC, such as 2026-11-25T08:00:00Z.");
    }

    /** Reads a time of the years that PostgreSQL can store. */
    private static Instant storable(String text) {
        Instant time = Instant.parse(text);
        if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
            throw new IllegalArgumentException(text);
        }
        return time;
    }

    @Nullable
    Duration age(String name) {
        Duration age = read(name, DurationStyle::detectAndParse, "Write a duration, such as PT10M.");
        if (age != null && age.isNegative()) {
            throw ProblemException.badRequest("The parameter '%s' must not be negative.".formatted(name));
        }
        return age;
    }

    <T> @Nullable T read(String name, Function<String, T> reading, String remedy) {
        String text = nonEmpty(name);
        if (text == null) {
            return null;
        }
        try {
            return reading.apply(text);
        } catch (IllegalArgumentException | DateTimeException | ArithmeticException unreadable) {
            throw ProblemException.badRequest("The parameter '%s' cannot be read. %s".formatted(name, remedy));
        }
    }
}

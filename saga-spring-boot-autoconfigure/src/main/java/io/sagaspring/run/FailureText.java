package io.sagaspring.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes an exception for a person who looks for the fault in the application: the exception and its causes down to the
 * root, each with the frames of the application. Frames of this library, of frameworks and of the JDK are left out. A framework's
 * frame is kept if it threw.
 *
 * @since 0.1.0
 */
public final class FailureText {

    /** Begins the line of a cause. */
    public static final String CAUSED_BY = "Caused by: ";

    private static final int MOST_CAUSES = 6;
    private static final int MOST_FRAMES = 12;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_MESSAGE_OF_A_CAUSE = 300;

    /** With its first line it is what can be stored. */
    private static final int LONGEST = 6_000;

    private static final List<String> FRAMEWORKS = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "jakarta.",
            "kotlin.",
            "org.springframework.",
            "org.hibernate.",
            "org.postgresql.",
            "org.apache.",
            "org.junit.",
            "com.zaxxer.",
            "com.fasterxml.",
            "tools.jackson.",
            "io.micrometer.",
            "io.netty.",
            "reactor.");

    private static final List<String> LIBRARY = Stream.of(
                    "actuate",
                    "autoconfigure",
                    "claim",
                    "due",
                    "entity",
                    "fence",
                    "idempotency",
                    "janitor",
                    "lease",
                    "method",
                    "payload",
                    "run",
                    "saga",
                    "schema",
                    "workflow")
            .map("io.sagaspring.%s."::formatted)
            .toList();

    private FailureText() {}

    /**
     * Writes an exception as it is stored with a run.
     *
     * @param failure the exception
     * @return its first line is what the exception says of itself
     */
    public static String of(Throwable failure) {
        StringBuilder text = new StringBuilder(words(failure, LONGEST_MESSAGE));
        lines(failure, LONGEST)
                .forEach(line -> text.append(line.startsWith(CAUSED_BY) ? "\n" : "\n\tat ")
                        .append(line));
        return text.toString();
    }

    /**
     * Lists the application's frames, and each cause with its own. The root cause is there however long the rest is.
     *
     * @param failure the exception
     * @param longest how long all lines are at most
     * @return a frame is such as {@code com.example.Payments.charge(Payments.java:42)}, a cause begins with {@link #CAUSED_BY}
     */
    public static List<String> lines(Throwable failure, int longest) {
        List<Throwable> chain = chain(failure);
        List<String> lines = new ArrayList<>();
        int left = longest;
        for (int index = 0; index < chain.size(); index++) {
            int share = left / (chain.size() - index);
            int spent = 0;
            if (index > 0) {
                String line = CAUSED_BY
                        + words(chain.get(index), Math.min(share - CAUSED_BY.length() - 1, LONGEST_MESSAGE_OF_A_CAUSE));
                lines.add(line);
                spent += line.length();
            }
            for (String frame : frames(chain.get(index))) {
                if (spent + frame.length() > share) {
                    break;
                }
                lines.add(frame);
                spent += frame.length();
            }
            left -= spent;
        }
        return lines;
    }

    /** Of a long chain the beginning and the root are kept. */
    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable each = failure; each != null && seen.add(each); each = each.getCause()) {
            if (chain.size() == MOST_CAUSES) {
                chain.remove(MOST_CAUSES - 1);
            }
            chain.add(each);
        }
        return chain;
    }

    /** Those of the application, and the one that threw unless that is this library's. */
    private static List<String> frames(Throwable failure) {
        List<String> frames = new ArrayList<>();
        StackTraceElement[] all = failure.getStackTrace();
        for (int index = 0; index < all.length && frames.size() < MOST_FRAMES; index++) {
            boolean isRenewed = index == 0 ? !isIn(LIBRARY, all[index]) : isOfTheApplication(all[index]);
            if (isRenewed) {
                frames.add(text(all[index]));
            }
        }
        return frames;
    }

    /** Without class loader and module. */
    private static String text(StackTraceElement frame) {
        String file = frame.getFileName();
        String where =
                file == null ? "Unknown Source" : frame.getLineNumber() < 0 ? file : file + ":" + frame.getLineNumber();
        return "%s.%s(%s)".formatted(frame.getClassName(), frame.getMethodName(), where);
    }

    private static boolean isOfTheApplication(StackTraceElement frame) {
        // Spring's proxies have two dollars in their names.
        return !frame.getClassName().contains("$$") && !isIn(FRAMEWORKS, frame) && !isIn(LIBRARY, frame);
    }

    private static boolean isIn(List<String> packages, StackTraceElement frame) {
        return packages.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static String words(Throwable failure, int longest) {
        String words;
        try {
            words = failure.toString();
        } catch (RuntimeException unprintable) {
            return failure.getClass().getName() + ", whose message cannot be read";
        }
        return words.length() <= longest ? words : words.substring(0, longest) + "…";
    }
}

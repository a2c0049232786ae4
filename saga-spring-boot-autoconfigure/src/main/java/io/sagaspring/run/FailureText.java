package io.sagaspring.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Formats an exception for a person who investigates an error of the application. The text contains the exception and
 * its causes down to the root, each with its frames in the application. Frames of this library are omitted. Frames of
 * frameworks and of the JDK are omitted, too, except a frame that threw the exception.
 *
 * @since 0.1.0
 */
public final class FailureText {

    /** The prefix of a line about a cause. */
    public static final String CAUSED_BY = "Caused by: ";

    private static final int MOST_CAUSES = 6;
    private static final int MOST_FRAMES = 12;
    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_MESSAGE_OF_A_CAUSE = 300;

    /**
     * The maximum total length of all lines. Together with the first line, the lines have at most the length that can
     * be stored.
     */
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
                    "definition",
                    "due",
                    "entity",
                    "fence",
                    "idempotency",
                    "janitor",
                    "jdbc",
                    "lease",
                    "method",
                    "payload",
                    "run",
                    "saga",
                    "schema",
                    "startup",
                    "tenant",
                    "web",
                    "workflow")
            .map("io.sagaspring.%s."::formatted)
            .toList();

    private FailureText() {}

    /**
     * Formats an exception for storing it with a run.
     *
     * @param failure the exception
     * @return the text; its first line describes the exception itself
     */
    public static String of(Throwable failure) {
        StringBuilder text = new StringBuilder(message(failure, LONGEST_MESSAGE));
        lines(failure, LONGEST)
                .forEach(line -> text.append(line.startsWith(CAUSED_BY) ? "\n" : "\n\tat ")
                        .append(line));
        return text.toString();
    }

    /**
     * Lists the exception's frames in the application, and then its causes with their own frames. If there are many
     * causes, some are left out, but never the root cause.
     *
     * @param failure the exception
     * @param maxLength the maximum length of all lines together
     * @return the lines: frames such as {@code com.example.Payments.charge(Payments.java:42)}, and causes with the prefix
     *     {@link #CAUSED_BY}
     */
    public static List<String> lines(Throwable failure, int maxLength) {
        List<Throwable> chain = chain(failure);
        List<String> lines = new ArrayList<>();
        int remaining = maxLength;
        for (int index = 0; index < chain.size(); index++) {
            int share = remaining / (chain.size() - index);
            int spent = 0;
            if (index > 0) {
                String line = CAUSED_BY
                        + message(
                                chain.get(index), Math.min(share - CAUSED_BY.length() - 1, LONGEST_MESSAGE_OF_A_CAUSE));
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
            remaining -= spent;
        }
        return lines;
    }

    /** Returns the exception and its causes. If there are many causes, only the first ones and the root are included. */
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

    /** Returns the application's frames, and the frame that threw the exception unless it belongs to this library. */
    private static List<String> frames(Throwable failure) {
        List<String> frames = new ArrayList<>();
        StackTraceElement[] all = failure.getStackTrace();
        for (int index = 0; index < all.length && frames.size() < MOST_FRAMES; index++) {
            boolean isIncluded = index == 0 ? !isIn(LIBRARY, all[index]) : isOfTheApplication(all[index]);
            if (isIncluded) {
                frames.add(text(all[index]));
            }
        }
        return frames;
    }

    /** Formats a frame without its class loader and module. */
    private static String text(StackTraceElement frame) {
        String file = frame.getFileName();
        String where =
                file == null ? "Unknown Source" : frame.getLineNumber() < 0 ? file : file + ":" + frame.getLineNumber();
        return "%s.%s(%s)".formatted(frame.getClassName(), frame.getMethodName(), where);
    }

    private static boolean isOfTheApplication(StackTraceElement frame) {
        // The names of Spring's proxies contain two dollar signs.
        return !frame.getClassName().contains("$$") && !isIn(FRAMEWORKS, frame) && !isIn(LIBRARY, frame);
    }

    private static boolean isIn(List<String> packages, StackTraceElement frame) {
        return packages.stream().anyMatch(frame.getClassName()::startsWith);
    }

    private static String message(Throwable failure, int maxLength) {
        String message = firstLine(failure);
        return message.length() <= maxLength ? message : message.substring(0, maxLength) + "…";
    }

    /**
     * Returns the text of the exception. If the exception cannot create its text, for example because a class cannot be
     * loaded, returns a replacement.
     */
    static String firstLine(Throwable failure) {
        try {
            return String.valueOf(failure.toString());
        } catch (RuntimeException | LinkageError | StackOverflowError unprintable) {
            return failure.getClass().getName() + ", which has no readable message";
        }
    }
}

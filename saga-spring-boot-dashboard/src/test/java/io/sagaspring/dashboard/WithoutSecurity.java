package io.sagaspring.dashboard;

import java.net.http.HttpResponse;
import java.util.List;
import org.springframework.util.ClassUtils;

/** An application in a process of its own, which has no class of Spring Security. It prints how it answers. */
final class WithoutSecurity {

    private WithoutSecurity() {}

    public static void main(String[] connection) {
        boolean isPresent = ClassUtils.isPresent(
                "org.springframework.security.core.Authentication", WithoutSecurity.class.getClassLoader());
        try (DashboardApp app =
                DashboardApp.start(List.of(connection), application -> {}, "saga.dashboard.access=unrestricted")) {
            HttpResponse<String> refused = app.post("/saga/api/operations", "{}");
            HttpResponse<String> unknown = app.post(
                    "/saga/api/operations",
                    "{\"operation\":\"queue.resume\",\"name\":\"none\"}",
                    "X-Saga-Dashboard",
                    "1");
            System.out.printf(
                    "security=%s page=%s me=%s refused=%s unknown=%s%n",
                    isPresent,
                    app.get("/saga/").statusCode(),
                    app.read("/saga/api/me").get("access").asString(),
                    refused.statusCode(),
                    unknown.statusCode());
        }
    }
}

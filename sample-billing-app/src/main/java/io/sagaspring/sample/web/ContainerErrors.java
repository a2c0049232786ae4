package io.sagaspring.sample.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Replies to failed requests, and to requests that the servlet container refuses. The container has logged the cause;
 * the client gets no details.
 */
@RestController
class ContainerErrors implements ErrorController {

    @RequestMapping("/error")
    ProblemDetail error(HttpServletRequest request) {
        if (!(request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status)) {
            return ProblemDetail.forStatus(HttpStatus.NOT_FOUND);
        }
        ProblemDetail problem = ProblemDetail.forStatus(status);
        if (request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI) instanceof String address) {
            problem.setInstance(URI.create(address));
        }
        return problem;
    }
}

package io.sagaspring.sample.web;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Answers what the servlet container refuses, or what fails before Spring MVC or behind it. */
@RestController
class ContainerErrors implements ErrorController {

    @RequestMapping("/error")
    ResponseEntity<ProblemDetail> error(HttpServletRequest request) {
        return Problems.answer(ProblemDetail.forStatus(
                request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) instanceof Integer status
                        ? status
                        : HttpStatus.NOT_FOUND.value()));
    }
}
